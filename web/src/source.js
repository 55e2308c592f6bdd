// Where recordings come from: this very file, or the local server that gave us the page.
import { fromBase64, unpack } from './unpack.js';

export async function recordings() {
  const count = Number(document.body.dataset.recordings);
  return Promise.all(Array.from({ length: count }, (_, i) => load(`recording/${i}`)));
}

export function overlay(recording, kind, shape) {
  return load(`overlay/${recording}/${kind}/${shape}`);
}

// frames from number `after` on and the report that follows number `seen`, as soon as there are some;
// null when there will be none
export async function streamed(recording, after, seen) {
  const answer = await fetch(`frames/${recording}/${after}/${seen}`);
  if (answer.status !== 200) return null;
  return { bytes: await answer.arrayBuffer(), report: JSON.parse(answer.headers.get('X-Report')) };
}

export function post(path, message) {
  return fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(message) });
}

async function load(path) {
  const embedded = document.getElementById(path);
  if (embedded) return unpack(fromBase64(embedded.textContent));
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return unpack(new Uint8Array(await answer.arrayBuffer()));
}
