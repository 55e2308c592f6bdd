"use strict";
// Draws the frames of a proof with WebGL: one array of triangles per body, coloured by clearance.
const STOPS = [[0.82, 0.14, 0.18], [0.94, 0.53, 0.24], [0.89, 0.76, 0.29], [0.73, 0.77, 0.81]];
function colour(c) {
  const x = Math.min(0.9999, Math.max(0, c)) * 3, i = Math.floor(x), f = x - i;
  return STOPS[i].map((a, k) => a + f * (STOPS[i + 1][k] - a));
}
const VERTEX = `attribute vec3 p; attribute vec3 n; attribute vec3 c; uniform mat4 m; uniform mat4 v;
varying vec3 shade; varying float front; uniform float cut; void main() { vec3 w = mat3(m) * n; vec3 e = mat3(v) * w;
 float l = 0.45 + 0.55 * abs(dot(normalize(e), normalize(vec3(-0.35, 0.6, 0.72))));
 shade = c * l; gl_Position = v * (m * vec4(p, 1.0)); front = cut - gl_Position.z; }`;
// What lies in front of the plane z = cut is left out; solids that it opens are filled with one colour each.
const FRAGMENT = `precision highp float; varying vec3 shade; varying float front; uniform vec3 inside;
void main() { if (front > 0.0) discard; gl_FragColor = vec4(gl_FrontFacing ? shade : inside, 1.0); }`;
const INSIDES = [[0.36, 0.55, 0.75], [0.95, 0.80, 0.50], [0.55, 0.75, 0.55], [0.75, 0.60, 0.80]];

class View {
  constructor(canvas, centre, half, section) {
    this.canvas = canvas; this.centre = centre; this.half = half; this.section = section;
    this.turn = 0.7; this.tilt = 0.45; this.frame = DATA.worst;
    const gl = this.gl = canvas.getContext("webgl", { antialias: true, preserveDrawingBuffer: true });
    if (!gl) { canvas.insertAdjacentHTML("afterend", "<p>This browser has no WebGL.</p>"); return; }
    const program = this.program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind); gl.shaderSource(shader, text); gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program); gl.useProgram(program); gl.enable(gl.DEPTH_TEST);
    this.bodies = DATA.bodies.map((body) => this.load(body));
    let last = null;
    canvas.addEventListener("pointerdown", (e) => { last = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); });
    canvas.addEventListener("pointerup", () => { last = null; });
    canvas.addEventListener("pointermove", (e) => {
      if (!last) return;
      this.turn += (e.clientX - last[0]) / 150; this.tilt += (e.clientY - last[1]) / 150;
      last = [e.clientX, e.clientY]; this.draw();
    });
    canvas.addEventListener("wheel", (e) => { e.preventDefault(); this.half *= Math.exp(e.deltaY / 600); this.draw(); });
  }
  load(body) {
    const gl = this.gl, n = body.corners.length / 9, rows = new Float32Array(27 * n);
    for (let i = 0; i < n; i++) {
      const t = body.corners.slice(9 * i, 9 * i + 9), u = [0, 1, 2].map((k) => t[3 + k] - t[k]), w = [0, 1, 2].map((k) => t[6 + k] - t[k]);
      let m = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]];
      const size = Math.hypot(...m) || 1; m = m.map((x) => x / size);
      const c = colour(body.clearance[i]);
      for (let k = 0; k < 3; k++) rows.set([...t.slice(3 * k, 3 * k + 3), ...m, ...c], 27 * i + 9 * k);
    }
    const buffer = gl.createBuffer(); gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, rows, gl.STATIC_DRAW);
    return { buffer, count: 3 * n };
  }
  draw() {
    const gl = this.gl; if (!gl) return;
    const canvas = this.canvas, ratio = window.devicePixelRatio || 1;
    canvas.width = canvas.clientWidth * ratio; canvas.height = canvas.clientHeight * ratio;
    gl.viewport(0, 0, canvas.width, canvas.height); gl.clearColor(1, 1, 1, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const a = this.turn, b = this.tilt, aspect = canvas.width / canvas.height;
    const right = [-Math.sin(a), Math.cos(a), 0];
    const out = [Math.cos(a) * Math.cos(b), Math.sin(a) * Math.cos(b), Math.sin(b)];
    const up = [out[1] * right[2] - out[2] * right[1], out[2] * right[0] - out[0] * right[2], out[0] * right[1] - out[1] * right[0]];
    const sx = 1 / (this.half * aspect), sy = 1 / this.half, sz = -1 / this.depth(), c = this.centre;
    const dot = (p) => p[0] * c[0] + p[1] * c[1] + p[2] * c[2];
    const view = [];
    for (let k = 0; k < 3; k++) view.push(sx * right[k], sy * up[k], sz * out[k], 0);
    view.push(-sx * dot(right), -sy * dot(up), -sz * dot(out), 1);
    gl.uniformMatrix4fv(gl.getUniformLocation(this.program, "v"), false, new Float32Array(view));
    gl.uniform1f(gl.getUniformLocation(this.program, "cut"), this.section ? 0 : -2);
    this.bodies.forEach((body, i) => {
      gl.uniform3fv(gl.getUniformLocation(this.program, "inside"), INSIDES[i % INSIDES.length]);
      const f = DATA.frames[this.frame][i];
      const m = [f[0], f[3], f[6], 0, f[1], f[4], f[7], 0, f[2], f[5], f[8], 0, f[9], f[10], f[11], 1];
      gl.uniformMatrix4fv(gl.getUniformLocation(this.program, "m"), false, new Float32Array(m));
      gl.bindBuffer(gl.ARRAY_BUFFER, body.buffer);
      ["p", "n", "c"].forEach((name, k) => {
        const at = gl.getAttribLocation(this.program, name);
        if (at < 0) return;
        gl.enableVertexAttribArray(at); gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 36, 12 * k);
      });
      gl.drawArrays(gl.TRIANGLES, 0, body.count);
    });
  }
  depth() { return 4 * SIZE; }
}

function extent() {
  const low = [1e30, 1e30, 1e30], high = [-1e30, -1e30, -1e30];
  DATA.frames.forEach((frame, index) => DATA.bodies.forEach((body, i) => {
    if (!body.moves && index) return;
    const f = frame[i], step = Math.max(3, 3 * Math.floor(body.corners.length / 900));
    for (let k = 0; k + 2 < body.corners.length; k += step) for (let r = 0; r < 3; r++) {
      const x = f[3 * r] * body.corners[k] + f[3 * r + 1] * body.corners[k + 1] + f[3 * r + 2] * body.corners[k + 2] + f[9 + r];
      low[r] = Math.min(low[r], x); high[r] = Math.max(high[r], x);
    }
  }));
  return [low, high];
}
const [LOW, HIGH] = extent();
const MIDDLE = LOW.map((x, k) => 0.5 * (x + HIGH[k]));
const SIZE = Math.hypot(...LOW.map((x, k) => HIGH[k] - x)) || 1;
const spot = new View(document.getElementById("spot"), DATA.point || MIDDLE, DATA.point ? DATA.closeup * SIZE : 0.6 * SIZE, !!DATA.point);
const player = new View(document.getElementById("player"), MIDDLE, 0.55 * SIZE, false);
const slider = document.getElementById("frame"), value = document.getElementById("value"), now = document.getElementById("now"), plot = document.getElementById("plot");
slider.max = DATA.frames.length - 1;
function show(frame) {
  player.frame = frame; slider.value = frame; player.draw();
  value.textContent = `${DATA.label}: ${DATA.values[frame]}`;
  if (now) {
    const a = +plot.dataset.left, b = +plot.dataset.right, first = DATA.values[0], last = DATA.values[DATA.values.length - 1];
    const x = a + (b - a) * (DATA.values[frame] - first) / ((last - first) || 1);
    now.setAttribute("x1", x); now.setAttribute("x2", x);
  }
}
slider.addEventListener("input", () => show(+slider.value));
let timer = null;
document.getElementById("play").addEventListener("click", (e) => {
  if (timer) { clearInterval(timer); timer = null; e.target.textContent = "Play"; return; }
  e.target.textContent = "Pause";
  timer = setInterval(() => show((+slider.value + 1) % DATA.frames.length), 60);
});
window.addEventListener("resize", () => { spot.draw(); player.draw(); });
spot.draw(); show(DATA.worst);
