import { openChildProcesses } from '../../../runtime/child-processes/child-processes.ts';

/**
 * A gateway that is to be killed: `parent.ts FOLDER HOST JOB` does the job in a child, and says so when it has begun.
 * The job `descriptors` is another program, which lists what it has open.
 */
const [folder = '', host = '', job = ''] = process.argv.slice(2);

const children = await openChildProcesses({ folder, hidden: [], cpuMsAnHour: 3_600_000, clock: { now: Date.now }, host: JSON.parse(host) });
const limits = { wallMs: 600_000, cpuSeconds: 600, heapMb: 96, memoryMb: 256, resultMb: 4 };
const input = await children.stage([Buffer.from('file')]);
const begun = (): void => void process.stdout.write('begun');
if (job === 'descriptors')
  await children.run('one', {
    ...{ command: '/bin/ls', args: ['-l', '/proc/self/fd'], input },
    limits: { ...limits, fileMb: 1 },
    result: async (_file, output) => void process.stdout.write(output),
  });
else {
  const jobs = children.jobs({ module: new URL('./hostile-jobs.ts', import.meta.url), limits });
  await jobs.run('one', { input, order: { job }, before: async () => void setTimeout(begun, 500), result: async () => {} });
}
await input.remove();
await children.close();
