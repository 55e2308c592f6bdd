// Bundle the player with three.js into the Python package: `npm ci && npm run build`.
// `node build.mjs FILE` writes the bundle elsewhere, to compare it with the one in the package.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const page = join(here, '..', 'src', 'dovetail', 'view', 'page');
const { version } = JSON.parse(readFileSync(join(here, 'node_modules/three/package.json')));
const target = process.argv[2] ?? join(page, 'player.min.js');

const { outputFiles } = await build({
  entryPoints: [join(here, 'src', 'main.js')],
  bundle: true,
  minify: true,
  write: false,
  format: 'iife',
  target: 'es2022',
  legalComments: 'none',
  banner: { js: `/* dovetail player with three.js ${version} (MIT, see THREE-LICENSE.txt) */` },
});
// inside an HTML page nothing may look like the end of the script
writeFileSync(target, outputFiles[0].text.replaceAll('</script', '<\\/script').trimEnd() + '\n');
if (!process.argv[2]) {
  copyFileSync(join(here, 'node_modules/three/LICENSE'), join(page, 'THREE-LICENSE.txt'));
}
