import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { it } from 'node:test';
import { LOG_EVENTS } from '../actors/domain/log-events.ts';

const ROOT = resolve(import.meta.dirname, '..');
const ROOMS = ['runtime', 'store', 'actors', 'http', 'scripts/wiring', 'scripts/commands'];

const texts = ROOMS.flatMap((room) =>
  readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ file: join(room, name), text: readFileSync(join(ROOT, room, name), 'utf8') })),
);

/** Every call of a log, with what follows its opening bracket. */
const calls = texts.flatMap(({ file, text }) =>
  [...text.matchAll(/[lL]og\??\.(info|warn|error|fatal)\((?=([\s\S]{0,120}))/g)].map(([, level, rest]) => {
    const event = /^\s*\{\s*event: '([\w.]+)'/.exec(rest ?? '')?.[1];
    return { file, level, event, rest: rest?.slice(0, 60) };
  }),
);

it('every log line at level `info` or above uses a catalogued event at the right level', () => {
  const known: Readonly<Record<string, string>> = LOG_EVENTS;
  const strange = calls.filter(({ event, level }) => event === undefined || known[event] !== level);
  assert.deepEqual(strange, []);
  const silent = Object.keys(known).filter((event) => !calls.some((call) => call.event === event));
  assert.deepEqual(silent, []);
});

it('every event in the catalogue is documented', () => {
  const page = readFileSync(join(ROOT, 'docs/log-events.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `([\w.]+)` +\| (\w+) +\| \S/gm)].map(([, event, level]) => [event, level]);
  assert.deepEqual(listed, Object.entries(LOG_EVENTS));
});
