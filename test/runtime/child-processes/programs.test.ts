import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import type { ProgramJob } from '../../../runtime/child-processes/programs.ts';
import { ChildEnded } from '../../../runtime/child-processes/watched-process.ts';
import { familyOf, HOSTS, isAlive, type SomeChildren, someChildren, WITHOUT_PROC } from './children-fixture.ts';

const LIMITS = { wallMs: 120_000, cpuSeconds: 10, memoryMb: 128, fileMb: 2, addressSpaceMb: 512 };

interface Outcome {
  readonly left: string | null;
  readonly said: string;
}

/** Runs a real program over a file. */
async function ran(
  children: SomeChildren,
  command: string,
  args: readonly string[],
  more: Partial<ProgramJob<Outcome>> = {},
): Promise<Outcome> {
  const input = await children.stage([Buffer.from('pear\napple\n')]);
  try {
    return await children.run('one', {
      command,
      args,
      input,
      limits: LIMITS,
      async result(file, output) {
        const taken = file?.take();
        const left = taken && (await buffer(taken.bytes()));
        await taken?.close();
        return { left: left?.toString() ?? null, said: output.toString() };
      },
      ...more,
    });
  } finally {
    await input.remove();
  }
}

const shell = (children: SomeChildren, script: string, more?: Partial<ProgramJob<Outcome>>) =>
  ran(children, '/bin/sh', ['-c', script], more);
const failure = (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => assert.fail('it succeeded'),
    (cause) => (cause instanceof ChildEnded ? cause.failure : assert.fail(cause)),
  );

for (const [name, host] of [...HOSTS, ...(WITHOUT_PROC ? [['in namespaces without a /proc', WITHOUT_PROC] as const] : [])])
  describe(`an external program in a child process ${name}`, () => {
    it('reads an input file and writes an output file in an empty environment', async (t) => {
      const children = await someChildren(t, { host });
      assert.deepEqual(await ran(children, '/usr/bin/sort', ['in', '-o', 'out']), { left: 'apple\npear\n', said: '' });
      assert.deepEqual(await ran(children, '/usr/bin/env', []), { left: null, said: '' });
      await assert.rejects(ran(children, 'sort', []), /absolute path/);
      assert.equal(await failure(ran(children, '/usr/bin/false', [])), 'crash');
    });

    it('cannot trick the gateway into reading another file as its output', async (t) => {
      const children = await someChildren(t, { host });
      const secret = `${children.data}/secret`;
      writeFileSync(secret, 'secret');
      mkdirSync(`${children.data}/other`);
      writeFileSync(`${children.data}/other/out`, 'secret');
      const tries = ['ln -s', 'ln'].map((link) => `${link} ${secret} out || true`);
      for (const script of [...tries, 'mkfifo out', 'mkdir out', `cd ..; mv 1 2; ln -s ${children.data}/other 1`]) {
        const { left } = await shell(children, script).catch((cause) =>
          cause instanceof ChildEnded ? { left: null } : assert.fail(cause),
        );
        assert.equal(left, null, script);
      }
    });

    it('is stopped when it exceeds a limit', async (t) => {
      const children = await someChildren(t, { host });
      assert.equal(await failure(shell(children, 'while :; do :; done', { limits: { ...LIMITS, cpuSeconds: 1 } })), 'time');
      assert.equal(await failure(shell(children, 'sleep 60', { limits: { ...LIMITS, wallMs: 300 } })), 'time');
      for (const script of ['cat /dev/zero', 'cat /dev/zero > out']) assert.equal(await failure(shell(children, script)), 'output', script);
      assert.equal(await failure(shell(children, 'cat /dev/zero >&2')), 'output');
      assert.match(await failure(shell(children, 'x=x; while :; do x=$x$x; done')), /memory|crash/);
      assert.match(await failure(shell(children, 'while :; do sleep 60 & done')), /memory|crash/);
      assert.match(await failure(shell(children, 'n=0; while :; do n=$((n+1)); echo x > $n; done')), /output/);
    });

    it('exits together with its own child processes, whether it finishes or is stopped', async (t) => {
      const children = await someChildren(t, { host });
      for (const script of ['sleep 300 & sleep 0.3', 'sleep 300 & sleep 300']) {
        const run = shell(children, script, { limits: { ...LIMITS, wallMs: 1_000 } }).catch((cause) => cause);
        const seen = new Set<number>();
        for (let looks = 0; looks < 20; looks += 1) {
          for (const pid of familyOf(process.pid)) if (pid !== process.pid) seen.add(pid);
          await new Promise((resolve) => setTimeout(resolve, 25));
        }
        await run;
        assert.ok(seen.size > 0);
        await new Promise((resolve) => setTimeout(resolve, 200));
        assert.deepEqual([...seen].filter(isAlive), [], script);
      }
    });

    if (host.namespaces)
      it('cannot access data, other jobs, the gateway or the network', async (t) => {
        const children = await someChildren(t, { host });
        writeFileSync(`${children.data}/secret`, 'secret');
        const foreign = await children.stage([Buffer.from('secret')]);
        const tries = [
          `cat ${children.data}/secret ${foreign.path}`,
          `ls ${children.data} ../.. ../../..`,
          `umount ${children.data}; cat ${children.data}/secret`,
          `tr '\\0' '\\n' < /proc/${process.pid}/environ`,
          `grep -l node /proc/[0-9]*/comm`,
          'cat /proc/net/dev | grep -v lo: | grep :',
        ];
        for (const script of tries) assert.equal((await shell(children, `${script} || true`)).said, '', script);
        await foreign.remove();
      });
  });
