const SEPARATORS = /[;,|]|:::/;

/** Joins tags with `; `, or writes a JSON list if a tag contains a separator. */
export const tagsCell = (tags: readonly string[]): string => (tags.some(isAmbiguous) ? JSON.stringify(tags) : tags.join('; '));

const isAmbiguous = (tag: string): boolean => SEPARATORS.test(tag) || /^(?:"|\["|\* )/.test(tag);

export function tagsIn(cell: string): readonly string[] {
  const tags = listIn(cell) ?? cell.split(SEPARATORS).flatMap(ofAnotherProgram);
  return [...new Set(tags.map((tag) => tag.trim()).filter(Boolean))];
}

/** Mailchimp quotes each tag. Google's own groups, such as `* myContacts`, are ignored. */
function ofAnotherProgram(written: string): readonly string[] {
  const tag = written.trim();
  return tag.startsWith('* ') ? [] : [tag.replace(/^"(.*)"$/, '$1')];
}

function listIn(cell: string): readonly string[] | null {
  if (!cell.startsWith('["')) return null;
  try {
    const list: unknown = JSON.parse(cell);
    return Array.isArray(list) && list.every((tag) => typeof tag === 'string') ? list : null;
  } catch {
    return null;
  }
}
