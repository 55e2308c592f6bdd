// What keys do; the list is what the help shows.
import { VIEWS } from './framing.js';

export const KEYS = [
  ['space', 'play, pause'],
  ['← →', 'one frame back, on; with shift ten'],
  ['home end', 'first, last frame'],
  ['f', 'look at the chosen body, or at all'],
  ['a', 'see all'],
  ['1 … 7', VIEWS.join(', ')],
  ['h, i, x', 'hide, show alone, make transparent'],
  ['u', 'show all bodies again'],
  ['c', 'contact forces of pairs'],
  ['s', 'section'],
  ['m', 'measure a distance'],
  ['g', 'grid'],
  ['b', 'panel: show, hide'],
  ['t', 'light, dark'],
  ['p', 'save a picture'],
  ['r', 'record a movie'],
  ['?', 'these keys'],
  ['esc', 'choose nothing'],
];

export function listen(player) {
  document.addEventListener('keydown', (event) => {
    const typing = event.target.matches('input:not([type=checkbox]):not([type=range]), select, textarea');
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = action(player, event);
    if (!act) return;
    event.preventDefault();
    act();
    player.touch();
  });
}

function action(player, { key, shiftKey }) {
  const { chosen, panel } = player;
  const click = (id) => () => document.getElementById(id)?.click();
  switch (key) {
    case ' ': return () => player.playPause();
    case 'ArrowRight': return () => player.step(shiftKey ? 10 : 1);
    case 'ArrowLeft': return () => player.step(shiftKey ? -10 : -1);
    case 'Home': return () => player.goto(0);
    case 'End': return () => player.goto(Infinity);
    case 'f': return () => (chosen >= 0 ? player.lookAt(chosen) : player.theatre.home('here'));
    case 'a': return () => player.theatre.home();
    case 'h': return chosen >= 0 ? () => player.toggle(chosen, 'hidden') : null;
    case 'x': return chosen >= 0 ? () => player.toggle(chosen, 'ghost') : null;
    case 'i': return chosen >= 0 ? () => player.isolate(chosen) : null;
    case 'u': return () => player.showAll();
    case 'c': return click('overlay-forces');
    case 's': return click('section-on');
    case 'm': return click('measure');
    case 'g': return click('grid');
    case 'b': return click('show-panel');
    case 't': return () => player.theme.toggle();
    case 'p': return () => player.capture.screenshot();
    case 'r': return () => player.capture.toggleMovie();
    case '?': return () => panel.help();
    case 'Escape': return () => { panel.help(false); player.choose(-1); };
    default: return VIEWS[Number(key) - 1] ? () => player.theatre.home(VIEWS[Number(key) - 1]) : null;
  }
}
