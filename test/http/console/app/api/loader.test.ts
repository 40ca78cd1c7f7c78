import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLoader, type Loading } from '../../../../../http/console/app/api/loader.ts';

/** A page that loads, and answers given by hand. */
function aPage() {
  const asked: { readonly answer: (data: string) => void; readonly refuse: (why: string) => void; readonly signal: AbortSignal }[] = [];
  let shown: Loading<string, string> = { state: 'loading' };
  const loader = createLoader<string, string>({
    fetch: (signal) => new Promise((answer, refuse) => asked.push({ answer, refuse, signal })),
    show(load) {
      shown = load;
    },
    shown: () => shown,
    errorOf: String,
  });
  return { loader, asked, shown: () => shown };
}

it('the page loader merges requests that arrive faster than responses', async () => {
  const { loader, asked, shown } = aPage();
  const looks = [loader.load(), loader.load(), loader.load()];
  assert.equal(asked.length, 1);
  asked[0]?.answer('first');
  await looks[0];
  assert.deepEqual([shown(), asked[0]?.signal.aborted], [{ state: 'loaded', data: 'first' }, false]);
  await new Promise(setImmediate);
  asked[1]?.answer('second');
  await Promise.all(looks);
  assert.deepEqual([shown(), asked.length], [{ state: 'loaded', data: 'second' }, 2]);
});

it('the page loader keeps showing the current data and gives the reason when a load fails', async () => {
  const { loader, asked, shown } = aPage();
  const first = loader.load();
  asked[0]?.answer('form');
  await first;
  const second = loader.load();
  asked[1]?.refuse('overloaded');
  await assert.rejects(second, /overloaded/);
  assert.deepEqual(shown(), { state: 'loaded', data: 'form', error: 'overloaded' });
  const third = loader.load();
  asked[2]?.answer('form 2');
  await third;
  assert.deepEqual(shown(), { state: 'loaded', data: 'form 2' });
});

it('the page loader does not overwrite a change with a response that was requested earlier', async () => {
  const { loader, asked, shown } = aPage();
  const first = loader.load();
  loader.put('changed');
  asked[0]?.answer('before');
  await first;
  assert.deepEqual(shown(), { state: 'loaded', data: 'changed' });
  await new Promise(setImmediate);
  assert.equal(asked.length, 2);
});

it('the page loader discards a response after the user has left the page', async () => {
  const { loader, asked, shown } = aPage();
  const first = loader.load();
  loader.stop();
  asked[0]?.answer('too late');
  await first;
  assert.deepEqual([shown(), asked[0]?.signal.aborted], [{ state: 'loading' }, true]);
});
