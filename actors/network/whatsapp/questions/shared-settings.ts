import type { LTHashState } from '@whiskeysockets/baileys';
import { Refusal } from '../../../../runtime/errors.ts';
import type { KeptEvent } from '../../port.ts';
import type { SecretKind } from '../keys/secret-kind.ts';
import { attempt, type ConnectionContext } from '../session/connection-context.ts';
import { type Collection, MAX_TRIES, OVERTAKEN, pushPatch, type SettingChange } from './push-patch.ts';
import { readSettings, type SettingsPage, takeSettingsNotices } from './read-settings.ts';

/** Stores position, settings and events in one write, and reports events again until they are confirmed. */
export class SharedSettings<Book> {
  readonly #context: SettingsContext;
  readonly #of: SettingsReading<Book>;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(context: SettingsContext, of: SettingsReading<Book>) {
    this.#context = context;
    this.#of = of;
    takeSettingsNotices(context, of.collection, () => this.#queue(() => this.#read()));
    // Read only after the login. Until then, keys from the previous process are still being stored.
    const readOnceOpened = (): void =>
      attempt(context, `reading ${of.collection}`, () => context.opened.then(() => this.#queue(() => this.#read())));
    context.socket.ev.on('creds.update', ({ myAppStateKeyId }) => {
      if (myAppStateKeyId) readOnceOpened();
    });
    attempt(context, `telling ${of.collection}`, () => this.#queue(() => this.#tellAgain()));
    if (!context.creds.myAppStateKeyId) return;
    // No read is needed at each login, because the network keeps notices of changes until their ack.
    if (of.isReadAtLogin) readOnceOpened();
    else attempt(context, `reading ${of.collection}`, async () => (await this.#kept()) ?? readOnceOpened());
  }

  book(): Promise<Book> {
    return this.#queue(async () => (await this.#kept())?.book ?? this.#of.empty);
  }

  /** Returns the new settings. Fails with CONFLICT if another device gets there first on every attempt. */
  change(mutation: (book: Book) => SettingMutation | null): Promise<Book> {
    return this.#queue(async () => {
      if (!this.#context.creds.myAppStateKeyId) throw new Refusal('CONFLICT', { reason: NO_KEY });
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const { state, book } = await this.#read();
        const wanted = mutation(book);
        if (!wanted) return book;
        if (await this.#push(state, wanted)) return (await this.#read()).book;
      }
      throw new Refusal('CONFLICT', { reason: OVERTAKEN });
    });
  }

  /** If the response is lost, reads the settings again instead of retrying, to learn the outcome. */
  async #push(state: LTHashState, wanted: SettingMutation): Promise<boolean> {
    try {
      return await pushPatch(this.#context, state, { collection: this.#of.collection, ...wanted });
    } catch (cause) {
      attempt(this.#context, `reading ${this.#of.collection}`, () => this.#queue(() => this.#read()));
      throw cause;
    }
  }

  /** Runs work in order, because each patch builds on the version before it. */
  #queue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(work);
    this.#tail = done.catch(() => {});
    return done;
  }

  async #kept(): Promise<KeptBook<Book> | null> {
    const { collection, kept } = this.#of;
    return (await this.#context.credentialBuffer.get(kept, [collection]))[collection] ?? null;
  }

  async #read(): Promise<KeptBook<Book>> {
    const known = await this.#kept();
    let page = await this.#page(known ?? this.#nothing(), known === null);
    while (page.hasMore) page = await this.#page(page.kept, known === null);
    return page.kept;
  }

  readonly #nothing = (): KeptBook<Book> => ({ state: this.#context.library.newLTHashState(), book: this.#of.empty });

  async #page(before: KeptBook<Book>, isFirst: boolean): Promise<{ readonly kept: KeptBook<Book>; readonly hasMore: boolean }> {
    const { collection, empty, after, events, onPage } = this.#of;
    const page = await readSettings(this.#context, collection, before.state);
    const kept = { state: page.state, book: page.mutations.reduce(after, page.isWhole ? empty : before.book) };
    if (!isFirst && page.state.version === before.state.version) return { kept, hasMore: page.hasMore };
    await onPage?.(page);
    const told = await events(before.book, kept.book, isFirst, page);
    this.#keep(kept, told);
    return { kept, hasMore: page.hasMore };
  }

  #keep(kept: KeptBook<Book>, events: readonly Untold[]): void {
    const { credentialBuffer } = this.#context;
    credentialBuffer.set(this.#of.kept, { [this.#of.collection]: kept });
    const named = events.map(
      (event, nth): KeptEvent => ({
        ...event,
        token: `${this.#of.token} ${credentialBuffer.generation} ${kept.state.version}${nth > 0 ? ` ${nth}` : ''}`,
      }),
    );
    for (const event of named) credentialBuffer.add(this.#of.told, { [tokenIn(event)]: event });
    for (const event of named) this.#tell(event);
  }

  async #tellAgain(): Promise<void> {
    for (const event of (await this.#context.credentialBuffer.all(this.#of.told)).values()) this.#tell(event);
  }

  #tell(event: KeptEvent): void {
    const { credentialBuffer, keep } = this.#context;
    const stored = (): void => credentialBuffer.set(this.#of.told, { [tokenIn(event)]: null });
    attempt(this.#context, `telling ${this.#of.collection}`, async () => {
      await credentialBuffer.durable();
      keep(event, stored);
    });
  }
}

export type SettingsContext = Omit<ConnectionContext, 'labels' | 'chatMarks'>;

export type SettingMutation = Omit<SettingChange, 'collection'>;

export interface KeptBook<Book> {
  readonly state: LTHashState;
  readonly book: Book;
}

export type Untold = { [Type in 'facts' | 'chatMarks' | 'phoneChanges']: Omit<Extract<KeptEvent, { type: Type }>, 'token'> }[
  | 'facts'
  | 'chatMarks'
  | 'phoneChanges'];

export interface SettingsReading<Book> {
  readonly collection: Collection;
  readonly kept: SecretKind<KeptBook<Book>>;
  readonly told: SecretKind<KeptEvent>;
  readonly token: string;
  readonly empty: Book;
  readonly isReadAtLogin: boolean;
  after(book: Book, setting: SettingsPage['mutations'][number]): Book;
  /** `isFirst`: the collection has not been read before, so its content is not news. */
  events(before: Book, after: Book, isFirst: boolean, page: SettingsPage): Promise<readonly Untold[]>;
  /** Changes to secrets made here are stored in the same write as the page's content. */
  onPage?(page: SettingsPage): Promise<void>;
}

const tokenIn = (event: KeptEvent): string => ('token' in event ? event.token : '');

export const NO_KEY = {
  en: 'the phone has not shared its keys with this device yet; open the app on the phone, and try again',
  id: 'ponsel belum membagikan kuncinya ke perangkat ini; buka aplikasi di ponsel, lalu coba lagi',
};
