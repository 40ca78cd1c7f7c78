import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLaunch, PART } from '../../../../../../http/console/app/pages/campaigns/launch.ts';

/** A gateway that knows keys; `fail` names the acts whose answers are lost, in their order. */
function aGateway(fail: string[] = []) {
  const drafts = new Map<string, { recipients: number; isStarted: boolean }>();
  const keys = new Map<string, string>();
  let count = 0;
  const answer = <T>(act: string, value: T): T => {
    if (fail[0] === act) throw new Error(`no answer to ${fail.shift()}`);
    return value;
  };
  const launch = createLaunch<{ name: string }, number>({
    async create({ name }, first, key) {
      const id = keys.get(key) ?? `${name} ${keys.size}`;
      if (!keys.has(key)) drafts.set(id, { recipients: first.length, isStarted: false });
      keys.set(key, id);
      return answer('create', id);
    },
    async add(id, part) {
      const draft = drafts.get(id);
      if (draft) draft.recipients += part.length;
      return answer('add', null);
    },
    async start(id) {
      const draft = drafts.get(id);
      if (!draft || draft.isStarted) throw { code: 'CONFLICT' };
      draft.isStarted = true;
      return answer('start', null);
    },
    async stateOf(id) {
      const draft = drafts.get(id);
      if (!draft) return 'gone';
      return draft.isStarted ? 'started' : 'draft';
    },
    async remove(id) {
      drafts.delete(id);
    },
    newKey: () => `key ${count++}`,
  });
  return { launch, drafts: () => [...drafts] };
}

const two = [1, 2];

it('the campaign page creates and starts a campaign only once, even if responses are lost', async () => {
  const { launch, drafts } = aGateway(['create', 'start']);
  const draft = { name: 'sale' };
  await assert.rejects(launch(draft, two), /no answer to create/);
  await assert.rejects(launch(draft, two), /no answer to start/);
  const id = await launch(draft, two);
  assert.deepEqual(drafts(), [[id, { recipients: 2, isStarted: true }]]);
});

it('the campaign page replaces a draft that was edited, but never restarts a campaign', async () => {
  const changed = aGateway(['add']);
  const many = Array.from({ length: PART + 1 }, (_one, nth) => nth);
  await assert.rejects(changed.launch({ name: 'first' }, many), /no answer to add/);
  const id = await changed.launch({ name: 'second' }, two);
  assert.deepEqual([id.startsWith('second'), changed.drafts().length], [true, 1]);
  const started = aGateway(['start']);
  await assert.rejects(started.launch({ name: 'first' }, two), /no answer to start/);
  assert.match(await started.launch({ name: 'second' }, two), /^first/);
  assert.equal(started.drafts().length, 1);
});
