import type { LTHashState } from '@whiskeysockets/baileys';
import { Refusal } from '../../../../runtime/errors.ts';
import type { NetworkFact } from '../../facts.ts';
import type { KeptEvent } from '../../port.ts';
import type { SecretKind } from '../keys/secret-kind.ts';
import { attempt, type ConnectionContext } from '../session/connection-context.ts';
import { afterMutation, EMPTY_BOOK, factsBetween, type LabelBook, type Labels, type Mutation } from './label-book.ts';
import { type Chats, chatsOf } from './labelled-chats.ts';
import { MAX_TRIES, OVERTAKEN, pushPatch } from './push-patch.ts';
import { type ReadSetting, readSettings, takeSettingsNotices } from './read-settings.ts';

/** The collection of the account's shared settings that holds labels. */
const COLLECTION = 'regular';
const API_VERSION = 3;

/** How far this device has read the collection, and what it read. */
interface Kept {
  readonly state: LTHashState;
  readonly book: LabelBook;
}

type LabelContext = Omit<ConnectionContext, 'labels'>;

type KeptFacts = Extract<KeptEvent, { readonly type: 'facts' }>;

const BOOK: SecretKind<Kept> = 'labels';
const FACTS: SecretKind<KeptFacts> = 'label-facts';

export const NO_KEY = {
  en: 'the phone has not shared its keys with this device yet; open the app on the phone, and try again',
  id: 'ponsel belum membagikan kuncinya ke perangkat ini; buka aplikasi di ponsel, lalu coba lagi',
};

/**
 * Labels as all devices of the account share them, read past the library (read-settings.ts). What was read, and what it says that happened, is one
 * write; the hearer's word that it is stored comes after.
 */
export class LabelSync implements Labels {
  readonly #context: LabelContext;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(context: LabelContext) {
    this.#context = context;
    takeSettingsNotices(context, COLLECTION, () => this.#queue(() => this.#read()));
    // Keys that the last process left are taken in before anything may be said to the network.
    const readOnceOpened = (): void => attempt(context, 'reading labels', () => context.opened.then(() => this.#queue(() => this.#read())));
    context.socket.ev.on('creds.update', ({ myAppStateKeyId }) => {
      if (myAppStateKeyId) readOnceOpened();
    });
    attempt(context, 'telling labels', () => this.#queue(() => this.#tellAgain()));
    if (context.creds.myAppStateKeyId) readOnceOpened();
  }

  /** False: the phone has not sent its keys. */
  get hasKey(): boolean {
    return this.#context.creds.myAppStateKeyId !== undefined;
  }

  book(): Promise<LabelBook> {
    return this.#queue(async () => (await this.#kept())?.book ?? EMPTY_BOOK);
  }

  /** Who is meant by the addresses in a book. */
  chats(book: LabelBook): Promise<Chats> {
    return chatsOf(this.#context, book);
  }

  /**
   * Changes the account's labels: `mutation` says what, for the labels as they are now; null: nothing. Answers them as the network then has them: our
   * own change is read back like those of others. Refuses CONFLICT while the keys are missing, or others are always faster; DEVICE_TIMEOUT.
   */
  change(mutation: (book: LabelBook) => Mutation | null): Promise<LabelBook> {
    return this.#queue(async () => {
      if (!this.hasKey) throw new Refusal('CONFLICT', { reason: NO_KEY });
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const { state, book } = await this.#read();
        const wanted = mutation(book);
        if (!wanted) return book;
        if (await this.#push(state, wanted)) return (await this.#read()).book;
      }
      throw new Refusal('CONFLICT', { reason: OVERTAKEN });
    });
  }

  /** Where the answer is lost, what became of it is read as soon as possible: it is never made again. */
  async #push(state: LTHashState, wanted: Mutation): Promise<boolean> {
    try {
      return await pushPatch(this.#context, state, { collection: COLLECTION, apiVersion: API_VERSION, ...wanted });
    } catch (cause) {
      attempt(this.#context, 'reading labels', () => this.#queue(() => this.#read()));
      throw cause;
    }
  }

  /** One after the other: each patch is made on the version before it. */
  #queue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(work);
    this.#tail = done.catch(() => {});
    return done;
  }

  /** Null: nothing was ever read. */
  async #kept(): Promise<Kept | null> {
    const { [COLLECTION]: kept } = await this.#context.credentialBuffer.get(BOOK, [COLLECTION]);
    return kept ?? null;
  }

  /** Reads on from where it was, all there is. What happened is kept with it, and told. */
  async #read(): Promise<Kept> {
    const known = await this.#kept();
    let page = await this.#page(known ?? this.#nothing(), known === null);
    while (page.hasMore) page = await this.#page(page.kept, known === null);
    return page.kept;
  }

  readonly #nothing = (): Kept => ({ state: this.#context.library.newLTHashState(), book: EMPTY_BOOK });

  /** `isFirst`: what there was before this device was linked did not happen now. */
  async #page(before: Kept, isFirst: boolean): Promise<{ readonly kept: Kept; readonly hasMore: boolean }> {
    const { state, hasMore, isWhole, mutations } = await readSettings(this.#context, COLLECTION, before.state);
    const after = (book: LabelBook, { index, value }: ReadSetting): LabelBook => afterMutation(book, mutationOf(index, value));
    const kept = { state, book: mutations.reduce(after, isWhole ? EMPTY_BOOK : before.book) };
    const isNews = isFirst || state.version !== before.state.version;
    const shows = isFirst || !isNews ? null : await chatsOf(this.#context, before.book, kept.book);
    if (isNews) this.#keep(kept, shows ? factsBetween(before.book, kept.book, shows) : [], this.#context.clock.now());
    return { kept, hasMore };
  }

  #keep(kept: Kept, facts: readonly NetworkFact[], at: number): void {
    const { credentialBuffer } = this.#context;
    credentialBuffer.set(BOOK, { [COLLECTION]: kept });
    if (facts.length === 0) return;
    const token = `labels ${credentialBuffer.generation} ${kept.state.version}`;
    const event: KeptFacts = { type: 'facts', token, at, facts };
    credentialBuffer.add(FACTS, { [token]: event });
    this.#tell(event);
  }

  async #tellAgain(): Promise<void> {
    for (const event of (await this.#context.credentialBuffer.all(FACTS)).values()) this.#tell(event);
  }

  #tell(event: KeptFacts): void {
    const { credentialBuffer, keep } = this.#context;
    const stored = (): void => credentialBuffer.set(FACTS, { [event.token]: null });
    attempt(this.#context, 'telling labels', async () => {
      await credentialBuffer.durable();
      keep(event, stored);
    });
  }
}

const mutationOf = (index: unknown, value: Mutation['value'] | null | undefined): Mutation => ({
  index: Array.isArray(index) ? index.map(String) : [],
  value: value ?? {},
});
