import { aDriver, linkBy } from '../../../test/actors/network/whatsapp/in-real-time.ts';
import type { Asked, Said, Told } from './driver-process.ts';

/** `url rootKey directory`: a device that sends texts on request and reports how long the network took. */
const [url = '', rootKey = '', directory = ''] = process.argv.slice(2);
const STUCK_MS = 60_000;

const tell = (told: Told): void => void process.send?.(told);
process.on('disconnect', () => process.exit(0));
const ours = await linkBy((qr) => tell({ qr }), await aDriver({ after: () => {} }, { url, rootKey }, directory));
process.on('message', (asked: Asked) => {
  if (asked === 'closings') return tell({ closings: ours.all('closed').length });
  void said(asked.netId, asked.digits).then((word) => tell({ netId: asked.netId, ...word }));
});
tell({ isLinked: true });

/** Sends a text. If the connection returns it unsent, it is sent again, as a device would do. */
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
