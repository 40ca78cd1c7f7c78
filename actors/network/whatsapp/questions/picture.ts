import type { InputOf } from '../../questions.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { child, el, query } from './query.ts';

/** Sets a picture without the library, which would need an additional image package. */
export async function setPicture(
  context: ConnectionContext,
  { id, jpeg }: InputOf<'groups.setPicture'>,
): Promise<{ readonly picture: string | null }> {
  const content = jpeg === null ? [] : [el('picture', { type: 'image' }, Buffer.from(jpeg, 'base64'))];
  const answer = await query(context, { xmlns: 'w:profile:picture', type: 'set', to: 's.whatsapp.net', attrs: { target: id }, content });
  return { picture: jpeg === null ? null : (child(answer, 'picture')?.attrs['id'] ?? null) };
}
