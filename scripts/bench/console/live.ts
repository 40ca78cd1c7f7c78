import { systemClock } from '../../../runtime/clock.ts';
import { aBusiness, percentile } from './business.ts';

const CUSTOMER = '6281211110001';

const PAINTED = `(text) => new Promise((resolve) => {
  const list = document.querySelector('[data-testid="message-list"]');
  const look = () => {
    if (!list.textContent.includes(text)) return false;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(Date.now())));
    return true;
  };
  const watch = new MutationObserver(look);
  watch.observe(list, { childList: true, subtree: true, characterData: true });
  look();
})`;

const count = Number(process.argv[2]);
const business = await aBusiness();
await business.write(CUSTOMER, 'Hello');
await business.openChat();
const took: number[] = [];
for (let nth = 0; nth < count; nth += 1) {
  const text = `bench message no. ${nth}.`;
  const painted = business.page.evaluate<number>(`(${PAINTED})(${JSON.stringify(text)})`);
  const wrote = systemClock.now();
  await business.write(CUSTOMER, text);
  took.push((await painted) - wrote);
}
await business.end();
console.log(JSON.stringify({ paintedP50: percentile(took, 0.5), paintedP99: percentile(took, 0.99) }));
