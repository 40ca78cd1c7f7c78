import { type Collection, type CollectionSpec, type Doc, isDuplicateKey, type Store } from '../port.ts';

export interface SandboxPayment extends Doc {
  readonly invoice: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: 'waiting' | 'pending' | 'paid' | 'failed';
}

export interface SandboxPayments {
  open(row: SandboxPayment): Promise<void>;
  find(ref: string): Promise<SandboxPayment | null>;
  press(ref: string, status: Exclude<SandboxPayment['status'], 'waiting'>): Promise<SandboxPayment | null>;
}

const spec: CollectionSpec = { name: 'sandbox_payments', indexes: [] };

export function sandboxPaymentsIn(store: Store): SandboxPayments {
  const pages: Collection<SandboxPayment> = store.collection<SandboxPayment>(spec);

  return {
    async open(row) {
      try {
        await pages.insertOne(row);
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
      }
    },
    find: (_id) => pages.findOne({ _id }),
    async press(_id, status) {
      const pressed = await pages.findOneAndUpdate({ _id, status: { $ne: 'paid' } }, { $set: { status } }, { returnDocument: 'after' });
      return pressed ?? pages.findOne({ _id });
    },
  };
}
