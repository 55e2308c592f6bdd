// The tree of bodies: what hangs on what by joints; each can be hidden, shown alone or made transparent.
const MOST = 400; // rows; the filter finds the others

export class Tree {
  constructor(player, place, filter) {
    Object.assign(this, { player, place, filter });
    this.bodies = player.stages[0].recording.bodies;
    this.rows = new Map();
    filter.addEventListener('input', () => this.build());
    this.build();
  }

  build() {
    const wanted = this.filter.value.trim().toLowerCase();
    const fits = (body) => this.bodies[body].name.toLowerCase().includes(wanted);
    this.rows.clear();
    this.now = null;
    this.place.replaceChildren();
    const children = new Map();
    this.bodies.forEach(({ parent }, body) => children.set(parent, [...(children.get(parent) ?? []), body]));
    let left = 0;
    const add = (body, depth) => {
      if (!wanted || fits(body)) {
        if (this.rows.size < MOST) this.#row(body, wanted ? 0 : depth);
        else left += 1;
      }
      for (const child of children.get(body) ?? []) add(child, depth + 1);
    };
    for (const root of children.get(-1) ?? []) add(root, 0);
    if (left) this.place.append(element('p', 'more', `and ${left} more: type a part of a name`));
    this.update();
  }

  // buttons as the stage has it
  update() {
    const { stages, chosen } = this.player;
    const [stage] = stages;
    const now = `${chosen} ${stage.only} ${[...stage.states].join(';')}`;
    if (now === this.now) return;
    this.now = now;
    for (const [body, { row, hide, alone, ghost }] of this.rows) {
      const state = stage.states.get(body) ?? 'shown';
      row.classList.toggle('chosen', body === chosen);
      row.classList.toggle('off', stage.stateOf(body) === 'hidden');
      hide.setAttribute('aria-pressed', state === 'hidden');
      ghost.setAttribute('aria-pressed', state === 'ghost');
      alone.setAttribute('aria-pressed', stage.only === body);
    }
    if (chosen !== this.shown) {
      this.shown = chosen;
      this.rows.get(chosen)?.row.scrollIntoView({ block: 'nearest' });
    }
  }

  #row(body, depth) {
    const { name, colour, motion } = this.bodies[body];
    const row = element('div', 'body-row');
    row.dataset.body = body;
    row.style.paddingLeft = `${6 + 12 * Math.min(depth, 8)}px`;
    const swatch = element('i', 'swatch');
    swatch.style.background = `rgb(${colour.map((c) => Math.round(255 * c)).join(' ')})`;
    const label = element('button', 'name', name);
    label.type = 'button';
    label.title = `${name}: ${motion}`;
    label.addEventListener('click', () => this.player.choose(this.player.chosen === body ? -1 : body));
    label.addEventListener('dblclick', () => this.player.lookAt(body));
    const hide = this.#button('hide', ICONS.eye, 'hide (h)', () => this.player.toggle(body, 'hidden'));
    const alone = this.#button('isolate', ICONS.alone, 'show alone (i)', () => this.player.isolate(body));
    const ghost = this.#button('ghost', ICONS.ghost, 'transparent (x)', () => this.player.toggle(body, 'ghost'));
    row.append(swatch, label, hide, alone, ghost);
    this.place.append(row);
    this.rows.set(body, { row, hide, alone, ghost });
  }

  #button(kind, icon, title, act) {
    const button = element('button', `icon ${kind}`);
    button.type = 'button';
    button.title = title;
    button.setAttribute('aria-label', title);
    button.innerHTML = icon;
    button.addEventListener('click', act);
    return button;
  }
}

const drawn = (inside) => `<svg viewBox="0 0 16 16" width="14" height="14" fill="none" stroke="currentColor" stroke-width="1.4">${inside}</svg>`;
const ICONS = {
  eye: drawn('<path d="M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8Z"/><circle cx="8" cy="8" r="2"/>'),
  alone: drawn('<circle cx="8" cy="8" r="5.5"/><circle cx="8" cy="8" r="1.6" fill="currentColor"/>'),
  ghost: drawn('<circle cx="8" cy="8" r="5.5"/><path d="M8 2.5a5.5 5.5 0 0 1 0 11Z" fill="currentColor" stroke="none"/>'),
};

export function element(tag, className = '', text = '') {
  const one = document.createElement(tag);
  if (className) one.className = className;
  if (text) one.textContent = text;
  return one;
}
