// What the pointer does in the picture: a click chooses a body or sets a point of a measurement;
// with ctrl (or alt) a body of a running simulation is dragged along.
import { Plane, Vector3 } from 'three';

const STILL = 4; // [pixels] that a click may move

export function listen(player) {
  const { theatre } = player;
  const canvas = theatre.renderer.domElement;
  let down = null;
  let grip = null; // what is dragged: { stage, body, local, plane }

  canvas.addEventListener('pointerdown', (event) => {
    down = [event.clientX, event.clientY];
    if (!(event.ctrlKey || event.altKey)) return;
    grip = gripped(theatre, event);
    if (!grip) return;
    theatre.controls.enabled = false;
    player.choose(grip.body);
  }, { capture: true });

  canvas.addEventListener('pointermove', (event) => {
    if (!grip) return;
    const target = theatre.ray(event).raycaster.ray.intersectPlane(grip.plane, new Vector3());
    if (!target) return;
    grip.stage.motion.send('drag', { body: grip.body, point: grip.local, target: target.toArray() });
    player.pull = { ...grip, target: target.toArray() };
    player.touch();
  });

  window.addEventListener('pointerup', () => {
    if (!grip) return;
    grip.stage.motion.send('release', { body: grip.body });
    grip = player.pull = null;
    player.touch();
    theatre.controls.enabled = true;
  });

  canvas.addEventListener('pointerup', (event) => {
    if (grip || !down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > STILL) return;
    const { pane, raycaster } = theatre.ray(event);
    const stage = player.stages[pane];
    const hit = stage.pick(raycaster);
    if (!player.measure.on) player.choose(hit?.body ?? -1);
    else if (hit) player.measure.add(stage, hit);
    player.touch();
  });
}

function gripped(theatre, event) {
  const { pane, raycaster } = theatre.ray(event);
  const stage = theatre.stages[pane];
  const hit = stage.motion.live ? stage.pick(raycaster) : null;
  if (!hit) return null;
  const normal = theatre.camera.getWorldDirection(new Vector3());
  const plane = new Plane().setFromNormalAndCoplanarPoint(normal, hit.point);
  return { stage, body: hit.body, local: stage.poses.local(hit.body, hit.point.toArray()), plane };
}
