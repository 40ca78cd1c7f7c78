import { type Collection, type CollectionSpec, type Doc, isDuplicateKey, type Store } from '../port.ts';

interface NumberRow extends Doc {
  readonly invoice: string;
}

export interface InvoiceNumbers {
  /** Numbers start at 1 and have no gaps. Repeated calls for an invoice return the same number. */
  of(invoiceId: string): Promise<number>;
}

const spec: CollectionSpec = { name: 'invoice_numbers', indexes: [{ name: 'by_invoice', keys: { invoice: 1 }, unique: true }] };

/** Ids are padded so that they sort like numbers. */
const DIGITS = 12;

const idOf = (place: number): string => String(place).padStart(DIGITS, '0');

export function invoiceNumbersIn(store: Store): InvoiceNumbers {
  const numbers: Collection<NumberRow> = store.collection<NumberRow>(spec);

  async function take(invoice: string): Promise<number> {
    const last = await numbers.findOne({}, { sort: { _id: -1 } });
    for (let place = Number(last?._id ?? 0) + 1; ; place += 1) {
      try {
        await numbers.insertOne({ _id: idOf(place), invoice });
        return place;
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
        const taken = await numbers.findOne({ invoice });
        if (taken) return Number(taken._id);
      }
    }
  }

  return {
    async of(invoice) {
      const known = await numbers.findOne({ invoice });
      return known ? Number(known._id) : take(invoice);
    },
  };
}
