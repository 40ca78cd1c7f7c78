import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whenEnded } from '../../../../../http/console/app/api/when-ended.ts';

interface Job {
  readonly status: 'queued' | 'running' | 'done' | 'failed';
  readonly nth: number;
}

const pause = async (): Promise<void> => {};

describe('a page that waits for a job', () => {
  it('shows every state of the job up to the final one', async () => {
    const states: readonly Job['status'][] = ['queued', 'running', 'done'];
    const shown: number[] = [];
    const again = async ({ nth }: Job): Promise<Job> => ({ status: states[nth + 1] ?? 'done', nth: nth + 1 });
    const last = await whenEnded({ status: 'queued', nth: 0 }, { again, shown: ({ nth }) => shown.push(nth), pause });
    assert.deepEqual([last, shown], [{ status: 'done', nth: 2 }, [0, 1, 2]]);
  });

  it('does not poll a job that has already finished', async () => {
    const again = async (): Promise<Job> => assert.fail('asked');
    assert.equal((await whenEnded<Job>({ status: 'failed', nth: 0 }, { again, pause })).status, 'failed');
  });

  it('stops waiting when the user leaves it', async () => {
    const gone = new AbortController();
    let asked = 0;
    const again = async (job: Job): Promise<Job> => {
      asked += 1;
      gone.abort();
      return job;
    };
    await assert.rejects(whenEnded<Job>({ status: 'running', nth: 0 }, { again, pause, signal: gone.signal }), { name: 'AbortError' });
    assert.equal(asked, 1);
  });
});
