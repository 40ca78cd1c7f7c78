/**
 * `npm start` from a bundle: all sources that a start loads, put into one file, and what V8 compiled of it. Loading a thousand files one by one was
 * half of the CPU of a start, and keeping their texts a fifth of its memory. Plain JavaScript, so that a start does not load what strips types.
 *
 * The sources stay the truth. The bundle is used only where every file that went into it is as it was and the bundle itself is whole; it is made
 * anew where one is not; and where it cannot be made, or anything at all is unusual, the sources run as they are.
 */

import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { nameSources } from './source-lines.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUILD = fileURLToPath(new URL('./build.ts', import.meta.url));
/** Where the bundle says it is: packages and sources are found from the root, wherever it is kept. */
const FILENAME = join(ROOT, 'start.bundle.cjs');
const MAX_BUILD_MS = 60_000;
/** Options of Node that change nothing about how modules are found, loaded and watched: with any other, the sources run. */
const HARMLESS =
  /^--(expose-gc|(initial-heap-size|max-semi-space-size|min-semi-space-size|max-old-space-size|max-http-header-size|stack-trace-limit)=\d+)$/;
const SHA256 = 64;

/** Starts the gateway from the bundle. False, and nothing was done, where the sources have to do it. */
export function startKept() {
  const kept = loadKept('start', 'scripts/start/gateway.ts');
  if (!kept) return false;
  const { startGateway } = kept.exports;
  // Who stops at once has it kept, too; who failed has not compiled what a start needs.
  process.once('exit', (exitCode) => exitCode === 0 && kept.keepCompiled());
  void startGateway(kept.keepCompiled);
  return true;
}

/**
 * Loads `entry`, a path from the root, from the bundle that is kept as `name`: what it exports, and what keeps all that was compiled so far, to be
 * called once. Null, and nothing was done, where its sources have to be loaded.
 */
export function loadKept(name, entry) {
  const directory = process.env.NODE_COMPILE_CACHE;
  if (!directory || !isOrdinary(process)) return null;
  const place = placeIn(directory, name);
  try {
    const kept = openKept(place) ?? (build(place, entry) ? openKept(place) : null);
    if (!kept) return null;
    const exports = kept.load();
    nameSources({ root: ROOT, filename: FILENAME, ...kept.table });
    ignoreWarning('vm.USE_MAIN_CONTEXT_DEFAULT_LOADER');
    return { exports, keepCompiled: kept.keepCompiled };
  } catch (cause) {
    // Nothing of it has begun.
    say(`the bundle could not be loaded: ${cause?.message ?? cause}`);
    return null;
  }
}

/** Node says once, when something is loaded later, that this way of loading is experimental: nobody who reads it could act on it. */
function ignoreWarning(about) {
  const { emitWarning } = process;
  process.emitWarning = (warning, ...more) => {
    if (!String(warning).startsWith(about)) emitWarning.call(process, warning, ...more);
  };
}

/** Each checkout has its own files, so that several may share a directory. */
function placeIn(directory, name) {
  const start = join(directory, `${name}-${hash('sha256', ROOT).slice(0, 12)}`);
  return { directory, start, index: `${start}.json` };
}

function isOrdinary({ execArgv, env }) {
  const options = [...execArgv, ...(env.NODE_OPTIONS ?? '').split(' ').filter(Boolean)];
  return options.every((one) => HARMLESS.test(one)) && !env.NODE_V8_COVERAGE && !env.NODE_DISABLE_COMPILE_CACHE;
}

/** What is kept, where all of it may be used; else null. */
function openKept(place) {
  try {
    const { root, bundle, lines, files } = JSON.parse(readWhole(place.index));
    if (root !== ROOT || statSync(`${place.start}-${bundle}.lines`).size !== lines.size) return null;
    if (!areCurrent(place, { root, bundle, lines, files })) return null;
    const bytes = readFileSync(`${place.start}-${bundle}.cjs`);
    if (hash('sha256', bytes) !== bundle) return null;
    const table = { file: `${place.start}-${bundle}.lines`, contents: lines.contents, sources: files.map(([path]) => path) };
    return { table, ...loader(bytes.toString(), `${place.start}-${bundle}-${builtFor()}.code`) };
  } catch {
    return null;
  }
}

/**
 * Whether every file is as it was: by its size and times, and where these are others, by its contents. A change of contents alone changes the
 * second time too. Where we may not write, as in an image, files have second times of their own and first ones of whole seconds: these count there.
 */
function areCurrent({ directory, index }, made) {
  const writes = mayWrite(directory);
  let isTouched = false;
  const files = [];
  for (const [path, size, mtime, ctime, contents] of made.files) {
    const file = ROOT + path;
    const now = statSync(file, { throwIfNoEntry: false });
    if (now?.size !== size) return false;
    const isSame = writes ? now.mtimeMs === mtime && now.ctimeMs === ctime : secondsOf(now.mtimeMs) === secondsOf(mtime);
    if (!isSame && hash('sha256', readFileSync(file)) !== contents) return false;
    isTouched ||= !isSame;
    files.push([path, size, now.mtimeMs, now.ctimeMs, contents]);
  }
  if (isTouched && writes) writeWhole(index, JSON.stringify({ ...made, files }));
  return true;
}

const secondsOf = (time) => Math.floor(time / 1_000);

function mayWrite(directory) {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Compiled code is of one version and one set of options. */
function builtFor() {
  const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
  return hash('sha256', `${process.version} ${process.arch} ${options}`).slice(0, 12);
}

function loader(text, codeFile) {
  let script;
  let isCompiled = false;
  return {
    load() {
      const cachedData = codeIn(codeFile);
      const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
      script = new vm.Script(text, { filename: FILENAME, importModuleDynamically, ...(cachedData && { cachedData }) });
      isCompiled = cachedData !== undefined && script.cachedDataRejected !== true;
      const module = { exports: {} };
      script.runInThisContext().call(module.exports, module.exports, createRequire(FILENAME), module);
      return module.exports;
    },
    keepCompiled() {
      if (!isCompiled) writeWhole(codeFile, script.createCachedData());
      isCompiled = true;
      script = undefined;
    },
  };
}

function codeIn(file) {
  try {
    return readWhole(file);
  } catch {
    return undefined;
  }
}

/** What is kept is behind a hash of itself: half of a file, or a spoilt one, is none. V8 does not look whether all of its code is there. */
function readWhole(file) {
  const bytes = readFileSync(file);
  const contents = bytes.subarray(SHA256);
  if (hash('sha256', contents) !== bytes.latin1Slice(0, SHA256)) throw new Error(`${file} is not whole`);
  return contents;
}

function writeWhole(file, contents) {
  const unfinished = `${file}.${process.pid}`;
  try {
    writeFileSync(unfinished, Buffer.concat([Buffer.from(hash('sha256', contents)), Buffer.from(contents)]));
    renameSync(unfinished, file);
  } catch {
    rmSync(unfinished, { force: true });
  }
}

/** Makes the bundle in a process of its own, whose memory is gone with it. */
function build({ directory, start, index }, entry) {
  try {
    mkdirSync(directory, { recursive: true });
  } catch {
    return false;
  }
  if (!mayWrite(directory)) return false;
  const { status, stderr } = spawnSync(process.execPath, [BUILD, ROOT, entry, start, index], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: MAX_BUILD_MS,
  });
  return status === 0 || say(`they could not be bundled: ${stderr?.trim() || 'it took too long'}`);
}

function say(why) {
  process.stderr.write(`The sources run as they are, because ${why}\n`);
  return false;
}
