// A packed recording: JSON header with its length before it, then arrays (see packing.py).
const KINDS = {
  '<f4': Float32Array,
  '<f8': Float64Array,
  '<i2': Int16Array,
  '<i4': Int32Array,
  '<u4': Uint32Array,
};

export async function unpack(bytes) {
  const buffer = isGzip(bytes) ? await inflated(bytes) : bytes.slice().buffer;
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const arrays = {};
  for (const [name, { kind, size, offset }] of Object.entries(header.arrays)) {
    arrays[name] = new KINDS[kind](buffer, 8 + length + offset, size);
  }
  return { ...header, arrays };
}

export function fromBase64(text) {
  const packed = atob(text.trim());
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  return bytes;
}

function isGzip(bytes) {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}
