const IN_FLIGHT = 50;

export const BODY = JSON.stringify({ id: 'evt_01JZX5ZB4T8QKX3N9V7C2M6D1E', type: 'message.received', data: { body: 'x'.repeat(392) } });

export type Post = (over: () => void) => void;

export async function measurePosts(post: Post): Promise<void> {
  const isQuick = process.argv[2] === 'quick';
  const count = isQuick ? 400 : 100_000;
  await postAll(post, count / 4);
  const cpu = process.cpuUsage();
  const startedAt = process.hrtime.bigint();
  await postAll(post, count);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9;
  console.log(JSON.stringify({ cpuUs: (user + system) / count, rate: count / seconds }));
  process.exit();
}

function postAll(post: Post, count: number): Promise<void> {
  return new Promise((resolve) => {
    let started = 0;
    let ended = 0;
    const next = (): void => {
      if (started === count) return;
      started += 1;
      post(() => {
        ended += 1;
        if (ended === count) resolve();
        else next();
      });
    };
    for (let n = 0; n < IN_FLIGHT; n += 1) next();
  });
}
