import { at as entry } from '../../../../runtime/invariant.ts';
import { isLid } from '../../jid.ts';
import type { KeptEvent } from '../../port.ts';
import type { SecretKind } from '../keys/secret-kind.ts';
import { attempt, type ConnectionContext } from '../session/connection-context.ts';
import type { Mappings } from './mappings.ts';

/**
 * Keeps receipts from hidden addresses whose number the receiver does not know yet. They are stored
 * before they are acknowledged, and reported once the receiver has stored the mapping. Senders
 * choose network ids, so the receiver still checks to whom the message was sent.
 */

type Receipt = Extract<KeptEvent, { type: 'receipt' }>;

interface EarlyReceipt extends Pick<Receipt, 'status' | 'at'> {
  readonly netId: string;
  readonly isPlayed: boolean;
}

interface KeptReceipts {
  readonly keptAt: number;
  readonly receipts: readonly EarlyReceipt[];
}

export type ReceiptFrom = Pick<Receipt, 'status' | 'at' | 'netIds'> & { readonly from: string; readonly isPlayed: boolean };

const EARLY: SecretKind<KeptReceipts> = 'early-receipts';
const KEPT_MS = 7 * 86_400_000;
const MAX_PEOPLE = 200;
const MAX_RECEIPTS_PER_PERSON = 100;
/** Maximum number of messages that are looked up for one receipt. */
const MAX_LOOKED_UP = 50;

export class EarlyReceipts {
  readonly #context: ConnectionContext;
  readonly #mappings: Mappings;
  readonly #loaded: Promise<Map<string, KeptReceipts>>;

  constructor(context: ConnectionContext, mappings: Mappings) {
    this.#context = context;
    this.#mappings = mappings;
    this.#loaded = context.opened.then(() => this.#load());
    this.#loaded.catch(() => {});
    mappings.whenStored((address) => this.#tellLater(address));
  }

  async keep({ from, netIds, status, at, isPlayed }: ReceiptFrom): Promise<void> {
    if (!isLid(from) || !(await this.#mappings.isUnstored(from))) return;
    const sent = await Promise.all(netIds.slice(-MAX_LOOKED_UP).map((netId) => this.#isSentToNumber(netId)));
    const ours = netIds.slice(-MAX_LOOKED_UP).filter((_, nth) => sent[nth]);
    if (ours.length === 0) return;
    const kept = await this.#loaded;
    const receipts = [...(kept.get(from)?.receipts ?? []), ...ours.map((netId) => ({ netId, status, at, isPlayed }))];
    this.#set(kept, from, { keptAt: this.#context.clock.now(), receipts: receipts.slice(-MAX_RECEIPTS_PER_PERSON) });
    const [oldest] = kept.keys();
    if (kept.size > MAX_PEOPLE && oldest !== undefined) this.#set(kept, oldest, null);
  }

  async #isSentToNumber(netId: string): Promise<boolean> {
    const { findSent, library } = this.#context;
    return library.isPnUser((await findSent(netId))?.to ?? '') === true;
  }

  /** Loads the kept receipts, and reports those whose mapping has already been stored. */
  async #load(): Promise<Map<string, KeptReceipts>> {
    const { credentialBuffer, clock } = this.#context;
    const kept = new Map(await credentialBuffer.all(EARLY));
    for (const [address, { keptAt }] of kept) {
      if (keptAt < clock.now() - KEPT_MS) this.#set(kept, address, null);
      else if (!(await this.#mappings.isUnstored(address))) this.#tellLater(address);
    }
    return kept;
  }

  #tellLater(address: string): void {
    attempt(this.#context, 'reporting early receipts', async () => this.#tell(await this.#loaded, address));
  }

  #tell(kept: Map<string, KeptReceipts>, address: string): void {
    const found = kept.get(address);
    if (!found) return;
    const { receipts } = found;
    const played = receipts.filter(({ isPlayed }) => isPlayed);
    const moments = [...Map.groupBy(receipts, ({ status, at }) => `${status} ${at}`)];
    let unstored = moments.length + (played.length > 0 ? 1 : 0);
    const stored = (): void => {
      unstored -= 1;
      if (unstored === 0 && kept.get(address) === found) this.#set(kept, address, null);
    };
    for (const [moment, same] of moments) {
      const [{ status, at }, netIds] = [entry(same, 0), same.map(({ netId }) => netId)];
      const token = `early ${address} ${moment}`;
      this.#context.keep({ type: 'receipt', token, netIds, chats: netIds.map(() => address), status, at }, stored);
    }
    if (played.length === 0) return;
    const all = played.map(({ netId, at }) => ({ netId, chat: address, member: address, what: 'played' as const, at }));
    this.#context.keep({ type: 'memberReceipts', token: `early ${address} played`, receipts: all }, stored);
  }

  #set(kept: Map<string, KeptReceipts>, address: string, receipts: KeptReceipts | null): void {
    kept.delete(address);
    if (receipts) kept.set(address, receipts);
    this.#context.credentialBuffer.set(EARLY, { [address]: receipts });
  }
}
