import { pause, systemClock } from '../../../runtime/clock.ts';
import { redisCoordination } from '../../../runtime/cluster/redis/coordination.ts';

/** Asks the Redis at this address without end; says for each line that it reads how large it has been, in bytes, and begins anew. */
const coordination = redisCoordination({ url: process.argv[2] ?? '' });
await coordination.subscribe('news', () => {}).catch(() => {});

let peak = 0;
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss);
}, 5);
process.stdin.on('data', () => {
  console.log(peak);
  peak = 0;
});
for (;;) {
  await Promise.allSettled([coordination.ping(), coordination.holders(['a']), coordination.publish('news', 'text')]);
  await pause(systemClock, 10);
}
