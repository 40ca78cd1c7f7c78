import { hash } from 'node:crypto';
import { fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Numbers of an entry: line and column in the bundle, from 1 and 0; the source, by its place in the list; its line, from 1. */
const WIDTH = 4;
const MAX_KNOWN = 10_000;

/**
 * Makes stacks name the files and lines of the sources instead of the bundle. The table is read when a stack of unknown places is asked for, and
 * only its answers stay in memory; where it cannot be read, the places in the bundle stand.
 */
export function nameSources({ root, filename, file, contents, sources }) {
  // Held open: a later start may remove what belonged to earlier sources.
  const handle = opened(file);
  const known = new Map();
  const places = new RegExp(`(?:file://)?${filename.replace(/[^\w/]/g, '\\$&')}:(\\d+):(\\d+)`, 'g');
  const nameOf = (table, line, column) => {
    const found = table && lookUp(table, line, column);
    const path = found && sources[found.source];
    if (!path) return null;
    return `${path.includes('node_modules/') ? join(root, path) : pathToFileURL(join(root, path))}:${found.line}`;
  };
  Error.prepareStackTrace = (error, frames) => {
    let table;
    const named = (place, line, column) => {
      const before = known.get(place);
      if (before !== undefined) return before;
      table ??= readTable(handle, contents);
      const name = nameOf(table, Number(line), Number(column) - 1) ?? place;
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(place, name);
      return name;
    };
    return [headOf(error), ...frames.map((frame) => `    at ${frame}`.replace(places, named))].join('\n');
  };
}

/** As V8 writes it, also for an error that cannot be written. */
function headOf(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return '<error>';
  }
}

function opened(file) {
  try {
    return openSync(file, 'r');
  } catch {
    return null;
  }
}

/** Null where it is not there, or not as it was made. */
function readTable(handle, contents) {
  if (handle === null) return null;
  try {
    const bytes = Buffer.alloc(fstatSync(handle).size);
    readSync(handle, bytes, 0, bytes.length, 0);
    return hash('sha256', bytes) === contents ? new Uint32Array(bytes.buffer) : null;
  } catch {
    return null;
  }
}

/** The last entry at or before the place. */
function lookUp(table, line, column) {
  let low = 0;
  let high = table.length / WIDTH;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = middle * WIDTH;
    if (table[at] < line || (table[at] === line && table[at + 1] <= column)) low = middle + 1;
    else high = middle;
  }
  const at = (low - 1) * WIDTH;
  return low === 0 ? null : { source: table[at + 2], line: table[at + 3] };
}
