import type { Library, Socket } from '../library.ts';

type Memory = NonNullable<Socket['messageRetryManager']>;

/** The library reserves memory for 512 messages and 1,024 keys of a socket that may never see one: half of the weight of an idle one. */
const SET_ASIDE = ['recentMessagesMap', 'baseKeys'];
const INDEX = 'messageKeyIndex';

/** The library's memory of sent messages, which serves recipients that could not read one, takes its room with the first message. */
export function rememberLater(library: Library, { messageRetryManager: memory }: Pick<Socket, 'messageRetryManager'>): void {
  if (!memory) return;
  for (const name of SET_ASIDE) {
    const get = (): unknown => {
      const value = made(library, memory, name);
      Object.defineProperty(memory, name, { value });
      return value;
    };
    Object.defineProperty(memory, name, { get });
  }
}

/** As the library makes it; what it forgets is forgotten in the index of the memory that it is for. */
function made(library: Library, memory: Memory, name: string): unknown {
  const another = new library.MessageRetryManager(Reflect.get(memory, 'logger'), 0);
  Reflect.set(another, INDEX, Reflect.get(memory, INDEX));
  return Reflect.get(another, name);
}
