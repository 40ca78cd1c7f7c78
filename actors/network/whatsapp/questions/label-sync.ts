import type { KeptEvent } from '../../port.ts';
import type { SecretKind } from '../keys/secret-kind.ts';
import { afterMutation, EMPTY_BOOK, factsBetween, type LabelBook, type Labels, type Mutation } from './label-book.ts';
import { type Chats, chatsOf } from './labelled-chats.ts';
import { type KeptBook, type SettingsContext, SharedSettings } from './shared-settings.ts';

const API_VERSION = 3;

const BOOK: SecretKind<KeptBook<LabelBook>> = 'labels';
const FACTS: SecretKind<KeptEvent> = 'label-facts';

export class LabelSync implements Labels {
  readonly #context: SettingsContext;
  readonly #settings: SharedSettings<LabelBook>;

  constructor(context: SettingsContext) {
    this.#context = context;
    this.#settings = new SharedSettings(context, {
      collection: 'regular',
      kept: BOOK,
      told: FACTS,
      token: 'labels',
      empty: EMPTY_BOOK,
      isReadAtLogin: true,
      after: (book, { index, value }) => afterMutation(book, mutationOf(index, value)),
      async events(before, after, isFirst) {
        // Labels that existed before this device was linked cause no events.
        const facts = isFirst ? [] : factsBetween(before, after, await chatsOf(context, before, after));
        return facts.length === 0 ? [] : [{ type: 'facts', at: context.clock.now(), facts }];
      },
    });
  }

  book(): Promise<LabelBook> {
    return this.#settings.book();
  }

  chats(book: LabelBook): Promise<Chats> {
    return chatsOf(this.#context, book);
  }

  change(mutation: (book: LabelBook) => Mutation | null): Promise<LabelBook> {
    return this.#settings.change((book) => {
      const wanted = mutation(book);
      return wanted && { ...wanted, apiVersion: API_VERSION };
    });
  }
}

const mutationOf = (index: unknown, value: Mutation['value'] | null | undefined): Mutation => ({
  index: Array.isArray(index) ? index.map(String) : [],
  value: value ?? {},
});
