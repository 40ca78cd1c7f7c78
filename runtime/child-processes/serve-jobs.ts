import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isRecord } from '../shapes.ts';

/**
 * The side of a child process: it does the jobs that the gateway gives it, one after the other.
 *
 * The gateway writes an order a line to standard input and closes it when the child is to end; a gateway that died
 * closes it, too. The child answers on descriptor 3. The input is the file `in` of the job's folder, and the result
 * is one JSON value a line in `out`, or the bytes that `write` is given.
 */
export interface JobTools {
  readonly input: Buffer;
  /** How far it is, 0 to 1. */
  report(progress: number): void;
  /** A value of the result. */
  put(value: unknown): void;
  /** Bytes of the result. */
  write(bytes: Uint8Array): void;
}

const MESSAGES = 3;
/** A write of less costs as much. */
const WRITTEN_TOGETHER = 65_536;

/** Where the module is loaded by anything but the runner, nothing happens. */
export function serveJobs(work: (order: unknown, tools: JobTools) => Promise<void> | void): void {
  if (!isChild()) return;
  const lines = createInterface({ input: process.stdin });
  lines.on('close', () => process.exit());
  // One after the other: the next order comes when this one was answered.
  lines.on('line', (line) => void serve(line, work));
  say({ ready: true });
}

/** Started by the runner, which gives the word and the pipe. */
const isChild = (): boolean => process.argv.at(-1) === 'serve-jobs' && hasPipe();

function hasPipe(): boolean {
  try {
    return fstatSync(MESSAGES).isSocket() || fstatSync(MESSAGES).isFIFO();
  } catch {
    return false;
  }
}

async function serve(line: string, work: (order: unknown, tools: JobTools) => Promise<void> | void): Promise<void> {
  const job: unknown = JSON.parse(line);
  if (!isRecord(job)) return;
  const folder = String(job['folder']);
  try {
    const result = new Result(`${folder}/out`);
    await work(job['order'], {
      input: readFileSync(`${folder}/in`),
      report: (progress) => say({ progress }),
      put: (value) => result.add(Buffer.from(`${JSON.stringify(value)}\n`)),
      write: (bytes) => result.add(bytes),
    });
    result.close();
    say({ done: true });
  } catch (cause) {
    say({ failed: String(cause).slice(0, 500) });
  }
}

const say = (message: object): void => void writeSync(MESSAGES, `${JSON.stringify(message)}\n`);

class Result {
  readonly #file: number;
  #waiting: Uint8Array[] = [];
  #bytes = 0;

  constructor(path: string) {
    this.#file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  }

  add(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes >= WRITTEN_TOGETHER) this.#flush();
  }

  close(): void {
    this.#flush();
    closeSync(this.#file);
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#waiting);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    this.#waiting = [];
    this.#bytes = 0;
  }
}
