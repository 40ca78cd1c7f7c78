import { aDriver, linkBy } from '../../../test/actors/network/whatsapp/in-real-time.ts';
import type { Asked, Said, Told } from './driver-process.ts';

/** Arguments: `url rootKey directory`. Sends texts on request, and reports how long each ack took. */
const [url = '', rootKey = '', directory = ''] = process.argv.slice(2);
const STUCK_MS = 60_000;

const tell = (told: Told): void => void process.send?.(told);
process.on('disconnect', () => process.exit(0));
const ours = await linkBy((qr) => tell({ qr }), (await aDriver({ after: () => {} }, { url, rootKey }, directory)).open);
process.on('message', (asked: Asked) => {
  if (asked === 'closings') return tell({ closings: ours.all('closed').length });
  void said(asked.netId, asked.digits).then((word) => tell({ netId: asked.netId, ...word }));
});
tell({ isLinked: true });

/** Like a device, resends a text that the connection has returned unsent. */
function said(netId: string, digits: string): Promise<Said> {
  const since = performance.now();
  return new Promise((resolve) => {
    const end = (ms: number | null, isRefused = false): void => {
      clearTimeout(stuck);
      forget();
      resolve({ ms, isRefused });
    };
    const stuck = setTimeout(() => end(null), STUCK_MS);
    const forget = ours.watches(netId, (event) => {
      if (event === 'acked') end(performance.now() - since);
      else if (event === 'refused') end(null, true);
      else ours.says(netId, digits);
    });
    ours.says(netId, digits);
  });
}
