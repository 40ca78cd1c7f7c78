/**
 * Prints the number of files and of lines of code in each folder. `--files` also lists the files.
 *
 * Counts tracked `.ts`, `.tsx` and `.js` files outside `test/`. Generated files, the console's
 * pages and data (word lists and data sets) are not counted. Files of fewer than 20 lines are
 * listed, because each needs a reason.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const LEFT_OUT = [/^test\//, /\.generated\.ts$/, /^http\/console\/app\//, /(^|\/)data\//, /\.d\.ts$/];
const SPLIT = new Set(['scripts', 'actors', 'http']);

const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.js'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file && !LEFT_OUT.some((pattern) => pattern.test(file)))
  .map((file) => ({ file, lines: readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1 }));

const sum = (list: typeof files): number => list.reduce((lines, one) => lines + one.lines, 0);

function print(name: string, list: typeof files): void {
  console.log(`${String(sum(list)).padStart(7)} lines ${String(list.length).padStart(5)} files  ${name}`);
}

const roomOf = (file: string): string => {
  const [room = '', part = ''] = file.split('/');
  return SPLIT.has(room) && part && !part.includes('.') ? `${room}/${part}` : room;
};

const isLong = process.argv.includes('--files');
for (const [room, list = []] of Object.entries(Object.groupBy(files, ({ file }) => roomOf(file))).sort()) {
  print(room, list);
  if (isLong) for (const { file, lines } of list) console.log(`${String(lines).padStart(15)}  ${file}`);
}
print('in all', files);
const short = files.filter(({ lines }) => lines < 20);
console.log(`${short.length} files have fewer than 20 lines: ${short.map(({ file }) => file).join(', ')}`);
