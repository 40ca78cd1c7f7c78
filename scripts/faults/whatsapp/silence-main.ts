import { trust } from '../../../test/network-peer/bare.ts';
import { startPeer } from '../../../test/network-peer/peer.ts';
import { bareSilence, gatewaySilence } from './silence.ts';

/** Usage: `COUNT=1000 [MONGODB_URL=…] node scripts/faults/whatsapp/silence-main.ts` */
const count = Number(process.env['COUNT'] ?? 1_000);
console.log('gateway', JSON.stringify(await gatewaySilence(count, process.env['MONGODB_URL'] ?? null)));
const peer = await startPeer();
trust(peer.rootKey);
console.log('bare', JSON.stringify(await bareSilence(count, peer)));
process.exit(0);
