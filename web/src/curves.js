// Curves over time on a canvas, with the cursor at the time that is shown; a click goes there.
import { logTicks, sameForm, short, ticks } from './numbers.js';

const MARGIN = { left: 52, right: 8, top: 6, bottom: 18 };

export class Curves {
  // `charts`: what each recording has under one title: { title, unit, logarithmic, lines }
  constructor(parent, title, charts, seek) {
    this.lines = charts.flatMap((chart, i) =>
      chart.lines.map((line) => ({ ...line, dashed: i > 0 })),
    );
    this.logarithmic = charts[0].logarithmic;
    const box = document.createElement('figure');
    const caption = document.createElement('figcaption');
    caption.append(`${title} [${charts[0].unit}] `);
    for (const line of charts[0].lines) {
      const label = document.createElement('span');
      label.style.color = `color-mix(in srgb, ${line.colour} var(--curve), white)`;
      label.textContent = ` ${line.label}`;
      caption.append(label);
    }
    this.canvas = document.createElement('canvas');
    box.append(caption, this.canvas);
    parent.append(box);
    this.#measure();
    const go = (event) => {
      if (event.buttons === 1) seek(this.#timeAt(event.offsetX));
    };
    this.canvas.addEventListener('pointerdown', go);
    this.canvas.addEventListener('pointermove', go);
    new ResizeObserver(() => { this.picture = null; this.draw(this.time ?? this.begin); }).observe(this.canvas);
  }

  draw(time) {
    this.time = time;
    const { canvas } = this;
    if (!canvas.clientWidth) return;
    const { theme } = document.documentElement.dataset;
    if (theme !== this.theme) this.picture = null;
    this.theme = theme;
    this.picture ??= this.#background();
    const context = canvas.getContext('2d');
    context.drawImage(this.picture, 0, 0);
    const x = this.#x(time) * this.ratio;
    context.strokeStyle = this.#css('--ink');
    context.lineWidth = this.ratio;
    context.beginPath();
    context.moveTo(x, MARGIN.top * this.ratio);
    context.lineTo(x, canvas.height - MARGIN.bottom * this.ratio);
    context.stroke();
  }

  #measure() {
    let low = Infinity, high = -Infinity;
    this.begin = Infinity;
    this.end = -Infinity;
    for (const { time, values } of this.lines) {
      this.begin = Math.min(this.begin, time[0]);
      this.end = Math.max(this.end, time[time.length - 1]);
      for (const value of values) {
        const v = this.#scaled(value);
        if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
      }
    }
    if (!(high >= low)) [low, high] = [0, 1];
    if (!this.logarithmic) { low = Math.min(low, 0); high = Math.max(high, 0); }
    const room = 0.05 * (high - low) || 1;
    [this.low, this.high] = [low - room, high + room];
  }

  #scaled(value) {
    return this.logarithmic ? (value > 0 ? Math.log10(value) : NaN) : value;
  }

  #background() {
    const { canvas } = this;
    this.ratio = window.devicePixelRatio || 1;
    canvas.width = canvas.clientWidth * this.ratio;
    canvas.height = canvas.clientHeight * this.ratio;
    const picture = document.createElement('canvas');
    picture.width = canvas.width;
    picture.height = canvas.height;
    const context = picture.getContext('2d');
    context.scale(this.ratio, this.ratio);
    context.fillStyle = this.#css('--paper');
    context.fillRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    this.#axes(context);
    for (const line of this.lines) this.#line(context, line);
    return picture;
  }

  #axes(context) {
    const { clientWidth: wide, clientHeight: tall } = this.canvas;
    context.font = '10px system-ui, sans-serif';
    context.strokeStyle = this.#css('--rule');
    context.fillStyle = this.#css('--soft');
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    const marks = this.logarithmic ? logTicks(this.low, this.high, 4) : ticks(this.low, this.high, 4);
    this.marks = this.logarithmic ? marks.map((v) => short(10 ** v)) : sameForm(marks); // texts
    marks.forEach((v, i) => {
      const y = this.#y(v);
      context.beginPath();
      context.moveTo(MARGIN.left, y);
      context.lineTo(wide - MARGIN.right, y);
      context.stroke();
      context.fillText(this.marks[i], MARGIN.left - 4, y);
    });
    context.textAlign = 'center';
    for (const t of ticks(this.begin, this.end, 4)) {
      const text = `${short(t)} s`;
      const half = context.measureText(text).width / 2;
      context.fillText(text, Math.min(this.#x(t), wide - half - 1), tall - MARGIN.bottom / 2);
    }
  }

  #line(context, { time, values, colour, dashed }) {
    context.strokeStyle = mixed(colour, parseFloat(this.#css('--curve')) / 100);
    context.lineWidth = 1.4;
    context.setLineDash(dashed ? [4, 3] : []);
    context.beginPath();
    let open = false;
    for (let i = 0; i < time.length; i++) {
      const v = this.#scaled(values[i]);
      if (!Number.isFinite(v)) { open = false; continue; }
      if (open) context.lineTo(this.#x(time[i]), this.#y(v));
      else context.moveTo(this.#x(time[i]), this.#y(v));
      open = true;
    }
    context.stroke();
  }

  #css(name) {
    return getComputedStyle(document.body).getPropertyValue(name);
  }

  #x(time) {
    const width = this.canvas.clientWidth - MARGIN.left - MARGIN.right;
    return MARGIN.left + (width * (time - this.begin)) / (this.end - this.begin || 1);
  }

  #y(value) {
    const height = this.canvas.clientHeight - MARGIN.top - MARGIN.bottom;
    return MARGIN.top + (height * (this.high - value)) / (this.high - this.low);
  }

  #timeAt(x) {
    const width = this.canvas.clientWidth - MARGIN.left - MARGIN.right;
    const share = Math.min(1, Math.max(0, (x - MARGIN.left) / width));
    return this.begin + share * (this.end - this.begin);
  }
}

// '#rrggbb' with white: as much of the colour as `share` says
function mixed(colour, share) {
  const parts = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  return `rgb(${parts.map((c) => Math.round(share * c + (1 - share) * 255)).join(' ')})`;
}
