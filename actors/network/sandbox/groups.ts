import { Refusal } from '../../../runtime/errors.ts';
import { isPhone, type Names } from './names.ts';

/** Which phones are in which group. */
export class Groups {
  readonly #names: Names;
  readonly #members = new Map<string, ReadonlySet<string>>();

  constructor(names: Names) {
    this.#names = names;
  }

  /** Makes a group of these numbers and answers its address. */
  create(members: readonly string[]): string {
    if (members.length === 0 || !members.every(isPhone)) throw new Refusal('VALIDATION_FAILED', { field: 'members' });
    const address = this.#names.group();
    this.#members.set(address, new Set(members));
    return address;
  }

  /** The members other than `phone`; null when `phone` is in no such group. */
  othersIn(address: string, phone: string): readonly string[] | null {
    const members = this.#members.get(address);
    return members?.has(phone) ? [...members].filter((member) => member !== phone) : null;
  }
}
