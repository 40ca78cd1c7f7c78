/**
 * The child's side of a job: runs the jobs from the gateway, one after another.
 *
 * The gateway writes one order per line to standard input. The child exits when its input is
 * closed, by the gateway or because the gateway has died. The child responds on descriptor 3. The
 * input is the file `in` in the job's folder. The result is `out`: one JSON value per line, or the
 * bytes passed to `write`.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isRecord } from '../shapes.ts';

export interface JobTools {
  readonly input: Buffer;
  report(progress: number): void;
  put(value: unknown): void;
  write(bytes: Uint8Array): void;
}

const MESSAGES = 3;
const WRITTEN_TOGETHER = 65_536;

/** Does nothing unless the runner started this process. */
export function serveJobs(work: (order: unknown, tools: JobTools) => Promise<void> | void): void {
  if (!isChild()) return;
  const lines = createInterface({ input: process.stdin });
  lines.on('close', () => process.exit());
  lines.on('line', (line) => void serve(line, work));
  say({ ready: true });
}

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
