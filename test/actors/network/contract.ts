import { describe } from 'node:test';
import { account } from './contract/account.ts';
import { acts } from './contract/acts.ts';
import { channels } from './contract/channels.ts';
import { chatMarks } from './contract/chat-marks.ts';
import { closing } from './contract/closing.ts';
import { faults } from './contract/faults.ts';
import { groups } from './contract/groups.ts';
import { history } from './contract/history.ts';
import { labels } from './contract/labels.ts';
import { linking } from './contract/linking.ts';
import { memberReceipts } from './contract/member-receipts.ts';
import { passkeys } from './contract/passkeys.ts';
import { presence } from './contract/presence.ts';
import { receiving } from './contract/receiving.ts';
import { seen } from './contract/seen.ts';
import { sending } from './contract/sending.ts';
import type { MakeWorld } from './world.ts';

/** What every driver of the network port must do. */
export function networkContract(name: string, makeWorld: MakeWorld): void {
  describe(name, () => {
    linking(makeWorld);
    passkeys(makeWorld);
    sending(makeWorld);
    receiving(makeWorld);
    seen(makeWorld);
    acts(makeWorld);
    channels(makeWorld);
    groups(makeWorld);
    account(makeWorld);
    labels(makeWorld);
    chatMarks(makeWorld);
    history(makeWorld);
    memberReceipts(makeWorld);
    presence(makeWorld);
    closing(makeWorld);
    faults(makeWorld);
  });
}
