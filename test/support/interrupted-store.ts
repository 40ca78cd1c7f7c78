import { replacingStore } from '../../scripts/faults/replacing-store.ts';
import { askedAround } from '../../store/engines/asked-around.ts';
import type { Store } from '../../store/port.ts';

type Reading = 'find' | 'findOne' | 'countDocuments';

/** The read to interrupt: the first one of this collection, or the first for which `when` returns true. */
interface Interrupted {
  readonly name: string;
  readonly reading: Reading;
  readonly when?: () => boolean;
}

/** A store in which `meanwhile` runs right after a read completes, before the reader acts on it. */
export function interruptedStore(store: Store, { name, reading, when = () => true }: Interrupted, meanwhile: () => unknown): Store {
  let isOver = false;
  async function followed<R>(answer: Promise<R>): Promise<R> {
    const read = await answer;
    if (isOver || !when()) return read;
    isOver = true;
    await meanwhile();
    return read;
  }
  return replacingStore(store, (collection, raw) => {
    if (collection !== name) return {};
    const each = {
      find: (...asked: Parameters<typeof raw.find>) => askedAround(raw.find(...asked), (ask) => followed(ask())),
      findOne: (...asked: Parameters<typeof raw.findOne>) => followed(raw.findOne(...asked)),
      countDocuments: (...asked: Parameters<typeof raw.countDocuments>) => followed(raw.countDocuments(...asked)),
    };
    return { [reading]: each[reading] };
  });
}
