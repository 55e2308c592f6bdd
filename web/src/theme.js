// Light and dark: as the system has it, until one is chosen.
import { Color } from 'three';

const SCENE = {
  light: { background: 0xf0f2f5, grid: 0.35, edge: 0x14181d, edgeOpacity: 0.6, shade: 0.26 },
  dark: { background: 0x1b1f24, grid: 0.5, edge: 0x05070a, edgeOpacity: 0.75, shade: 0.5 },
};

export class Theme {
  constructor(stages, changed) {
    Object.assign(this, { stages, changed });
    this.system = window.matchMedia('(prefers-color-scheme: dark)');
    this.system.addEventListener('change', () => this.set(this.system.matches ? 'dark' : 'light'));
    const asked = new URLSearchParams(location.search).get('theme');
    this.set(asked in SCENE ? asked : this.system.matches ? 'dark' : 'light');
  }

  toggle() {
    this.set(this.name === 'dark' ? 'light' : 'dark');
  }

  set(name) {
    this.name = name;
    document.documentElement.dataset.theme = name;
    const { background, grid, edge, edgeOpacity, shade } = SCENE[name];
    for (const stage of this.stages) {
      stage.scene.background = new Color(background);
      stage.ground.colour(grid);
      stage.ground.shade.material.opacity = shade;
      stage.edgeLook.colour.value.set(edge);
      stage.edgeLook.opacity.value = edgeOpacity;
    }
    this.changed();
  }
}
