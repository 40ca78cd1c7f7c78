import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { TimeSpent } from '../../../runtime/child-processes/cpu-budget.ts';
import type { NodeJobs, NodeJobsOptions } from '../../../runtime/child-processes/node-jobs.ts';
import { ChildEnded } from '../../../runtime/child-processes/watched-process.ts';
import { present } from '../../../runtime/invariant.ts';
import { addressOf } from '../../../runtime/listening.ts';
import { BARE, HOSTS, type SomeChildren, someChildren, WITHOUT_PROC } from './children-fixture.ts';

const MODULE = new URL('./hostile-jobs.ts', import.meta.url);
/** However busy the machine is. */
const LIMITS = { wallMs: 120_000, cpuSeconds: 60, heapMb: 96, memoryMb: 256, resultMb: 4 };
const ONE_JOB: NodeJobsOptions = { module: MODULE, limits: LIMITS };

interface Asked {
  readonly children: SomeChildren;
  readonly jobs: NodeJobs;
}

/** What one job answers. */
async function asked({ children, jobs }: Asked, job: string, detail = '', owner = 'one'): Promise<unknown> {
  const input = await children.stage([Buffer.from(`file of ${owner}`)]);
  try {
    return await jobs.run(owner, { input, order: { job, detail }, result: (file) => file.next() });
  } finally {
    await input.remove();
  }
}

/** How one job ended. */
const failure = async (of: Asked, job: string, detail = ''): Promise<string> =>
  asked(of, job, detail).then(
    (answer) => assert.fail(`${job} answered ${JSON.stringify(answer)}`),
    (cause) => (cause instanceof ChildEnded ? cause.failure : assert.fail(cause)),
  );

const leftIn = (folder: string): string[] =>
  readdirSync(`${folder}/jobs`, { recursive: true })
    .map(String)
    .filter((name) => name.includes('/'));

for (const [name, host] of HOSTS)
  describe(`jobs in Node child processes ${name}`, () => {
    const world = async (t: Parameters<typeof someChildren>[0], options = ONE_JOB): Promise<Asked> => {
      const children = await someChildren(t, { host });
      return { children, jobs: children.jobs(options) };
    };

    it("read their input without the gateway's environment or options, and leave no files behind", async (t) => {
      const of = await world(t);
      process.env['NODE_OPTIONS'] = '--throw-deprecation';
      process.env['CHILD_TEST_SECRET'] = 'secret';
      t.after(() => {
        delete process.env['NODE_OPTIONS'];
        delete process.env['CHILD_TEST_SECRET'];
      });
      assert.equal(await asked(of, 'echo'), 'file of one');
      assert.deepEqual(await asked(of, 'environment'), {});
      assert.ok(!JSON.stringify(await asked(of, 'options')).includes('deprecation'));
      assert.deepEqual(leftIn(of.children.data), []);
    });

    it('cannot read other files, write elsewhere or start processes', async (t) => {
      const of = await world(t);
      const { data } = of.children;
      writeFileSync(`${data}/gateway.db`, 'secret');
      const foreign = await of.children.stage([Buffer.from('secret')]);
      const tries = [
        ...[`${data}/gateway.db`, foreign.path, `/proc/${process.pid}/environ`, '/proc/self/environ', '/etc/passwd'].map((path) => [
          'read',
          path,
        ]),
        ...['..', '../..', data, '/proc', '/'].map((path) => ['list', path]),
        ...['../taken', `${data}/taken`, '/tmp/taken'].map((path) => ['write', path]),
        ...['start', 'link'].map((job) => [job, '/etc/passwd']),
      ];
      const answers = await asked(of, 'each', JSON.stringify(tries));
      assert.ok(Array.isArray(answers));
      for (const [nth, answer] of answers.entries())
        assert.match(String(answer), /^Error.*(Access to this API|full fs\.read)/, String(tries[nth]));
      assert.equal(answers.length, tries.length);
      await foreign.remove();
    });

    if (host.namespaces)
      it('cannot use the network', async (t) => {
        const of = await world(t);
        const server = createServer().listen(0, '127.0.0.1');
        await once(server, 'listening');
        t.after(() => server.close());
        assert.match(String(await asked(of, 'connect', String(addressOf(server).port))), /ENETUNREACH|ECONNREFUSED|EADDRNOTAVAIL/);
      });

    it('are stopped when they exceed a limit, and the reason is reported', async (t) => {
      const of = await world(t);
      assert.equal(await failure(of, 'heap'), 'memory');
      if (host.proc) assert.equal(await failure(of, 'buffers'), 'memory');
      // The kernel refuses the write that is too much, or a look at the folder comes first.
      assert.match(await failure(of, 'fills'), /^(crash|output)$/);
      for (const job of ['complains', 'talks', 'mumbles', 'scatters']) assert.equal(await failure(of, job), 'output', job);
      const brief = { ...of, jobs: of.children.jobs({ ...ONE_JOB, limits: { ...LIMITS, cpuSeconds: 1 } }) };
      assert.equal(await failure(brief, 'spin'), 'time');
      const impatient = { ...of, jobs: of.children.jobs({ ...ONE_JOB, limits: { ...LIMITS, wallMs: 500 } }) };
      assert.equal(await failure(impatient, 'sleep'), 'time');
      assert.deepEqual(leftIn(of.children.data), []);
    });

    it('fail without affecting other jobs if they crash, exit early or send false results', async (t) => {
      const of = await world(t);
      const endings: Readonly<Record<string, string>> = { throw: 'crash', later: 'crash', lies: 'crash', abort: 'memory' };
      for (const [job, expected] of Object.entries(endings)) assert.equal(await failure(of, job), expected, job);
      for (const code of ['0', '1', '134']) assert.match(await failure(of, 'exit', code), /crash|memory/);
      assert.equal(await asked(of, 'prints'), 'printed', 'what they print goes nowhere');
    });

    it('share a child process only with jobs of the same owner', async (t) => {
      const of = await world(t, { ...ONE_JOB, keptMs: 60_000 });
      assert.equal(await asked(of, 'remember', 'first'), 'first');
      assert.equal(await asked(of, 'remember', 'second'), 'first');
      assert.equal(await asked(of, 'remember', 'third', 'other'), 'third');
      assert.equal(await asked(of, 'remember', 'fourth'), 'fourth');
    });

    it('are stopped when the runner is closed', async (t) => {
      const of = await world(t, { ...ONE_JOB, keptMs: 60_000 });
      await asked(of, 'echo');
      const sleeping = failure(of, 'sleep');
      await new Promise((resolve) => setTimeout(resolve, 500));
      await of.jobs.close();
      assert.equal(await sleeping, 'stopped');
      await assert.rejects(asked(of, 'echo'), (cause) => cause instanceof ChildEnded && cause.failure === 'stopped');
      assert.deepEqual(leftIn(of.children.data), []);
    });
  });

describe('jobs in Node child processes', () => {
  for (const [name, host] of [
    ['on a host without isolation features', BARE],
    ['in namespaces without a /proc', WITHOUT_PROC],
  ] as const)
    it(`have time and memory limits ${name}`, { skip: host === null && 'this host gives no namespaces' }, async (t) => {
      const children = await someChildren(t, { host: present(host, 'a host') });
      const of = { children, jobs: children.jobs({ ...ONE_JOB, limits: { ...LIMITS, cpuSeconds: 2 } }) };
      assert.equal(await asked(of, 'echo'), 'file of one');
      assert.equal(await failure(of, 'heap'), 'memory');
      for (const [job, why] of [
        ['buffers', /memory/],
        ['spin', /time/],
        ['fills', /output|crash/],
      ] as const)
        if (BARE.proc) assert.match(await failure(of, job), why, job);
      assert.deepEqual(leftIn(children.data), []);
    });
});

describe("an owner's CPU time", () => {
  it("is summed over all of the owner's child processes, and is restored after an hour", async (t) => {
    const world = { now: Date.UTC(2026, 0) };
    const children = await someChildren(t, { cpuMsAnHour: 700, now: () => world.now });
    const of = { children, jobs: children.jobs({ ...ONE_JOB, limits: { ...LIMITS, cpuSeconds: 1 } }) };
    assert.equal(await failure(of, 'spin'), 'time');
    const spent = (cause: unknown) => cause instanceof TimeSpent && cause.freeAt === Date.UTC(2026, 0, 1, 1, 1);
    await assert.rejects(asked(of, 'echo'), spent);
    // Another file changes nothing; another owner is not concerned.
    await assert.rejects(asked(of, 'echo', 'another'), spent);
    assert.equal(await asked(of, 'echo', '', 'other'), 'file of other');
    world.now = Date.UTC(2026, 0, 1, 1, 1);
    assert.equal(await asked(of, 'echo'), 'file of one');
  });
});

describe('a child process', () => {
  it('receives no input if its job is rejected before it starts', async (t) => {
    const children = await someChildren(t);
    const input = await children.stage([Buffer.from('x')]);
    const jobs = children.jobs(ONE_JOB);
    const refused = new Error('no');
    const job = { input, order: { job: 'echo' }, before: () => Promise.reject(refused), result: () => assert.fail('it was done') };
    await assert.rejects(jobs.run('one', job), refused);
    assert.deepEqual(leftIn(children.data), []);
  });
});
