import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type JobTools, serveJobs } from '../../../runtime/child-processes/serve-jobs.ts';
import { memberOf } from '../../../runtime/shapes.ts';

/** Jobs of a child that somebody has taken over. Each answers with what it could do. */
const JOBS: Readonly<Record<string, (tools: JobTools, detail: string) => unknown>> = {
  echo: ({ input }) => input.toString(),
  /** Several of them in turn: each start of a process takes its time. */
  async each(tools, list) {
    const answers: unknown[] = [];
    for (const [job, detail] of JSON.parse(list)) answers.push(await JOBS[job]?.(tools, detail));
    return answers;
  },
  environment: () => process.env,
  options: () => process.execArgv,
  read: (_tools, path) => tried(() => readFileSync(path, 'latin1').slice(0, 10_000)),
  list: (_tools, path) => tried(() => readdirSync(path)),
  write: (_tools, path) => tried(() => writeFileSync(path, 'taken over')),
  link: (_tools, path) => tried(() => symlinkSync(path, '1/link')),
  start: () => tried(() => spawn('/bin/sleep', ['60']).pid),
  remember(_tools, word) {
    memory.word ??= word;
    return memory.word;
  },
  pid: () => process.pid,

  async connect(_tools, port) {
    const socket = connect(Number(port), '127.0.0.1');
    const { promise, resolve } = Promise.withResolvers<string>();
    socket.on('connect', () => resolve('connected')).on('error', (cause) => resolve(String(cause)));
    return promise.finally(() => socket.destroy());
  },

  buffers() {
    for (const all: Buffer[] = []; ; ) all.push(Buffer.alloc(20_000_000, 1));
  },
  heap() {
    for (const all: object[] = []; ; ) all.push({ all });
  },
  spin() {
    for (;;);
  },
  sleep: () => pause(600_000),
  exit: (_tools, code) => process.exit(Number(code)),
  abort: () => process.abort(),
  throw() {
    throw new Error('of the file');
  },
  later() {
    setTimeout(() => Promise.reject(new Error('of nobody')), 1);
    return pause(600_000);
  },

  prints() {
    const line = `${'x'.repeat(100_000)}\n`;
    for (let nth = 0; nth < 1_000; nth += 1) writeSync(1, line);
    return 'printed';
  },
  complains() {
    for (;;) writeSync(2, 'x'.repeat(10_000));
  },
  talks() {
    for (;;) writeSync(3, '{"progress":0.5}\n');
  },
  mumbles() {
    for (;;) writeSync(3, 'x'.repeat(10_000));
  },
  lies() {
    writeSync(3, '{"done":"/etc/passwd"}\n');
    return pause(600_000);
  },
  fills(tools) {
    for (;;) tools.write(Buffer.alloc(1_000_000));
  },
  async scatters() {
    for (let nth = 0; ; nth += 1) {
      writeFileSync(`1/${nth}`, 'x');
      if (nth % 100 === 0) await pause(1);
    }
  },
};

const memory: { word?: string } = {};

function tried(work: () => unknown): unknown {
  try {
    return work() ?? 'done';
  } catch (cause) {
    return String(cause);
  }
}

serveJobs(async (order, tools) => {
  const [job, detail] = [memberOf(order, 'job'), memberOf(order, 'detail')];
  tools.put((await JOBS[String(job)]?.(tools, String(detail))) ?? null);
});
