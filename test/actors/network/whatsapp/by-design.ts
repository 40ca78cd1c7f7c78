import { children, type Stanza } from '../../../network-peer/stanza.ts';

/**
 * A message without what differs by design between the one that opens a session and those after it: its id,
 * what is sealed and in which kind of Signal message, the proof of whose device this is, in groups whom
 * the key is handed to, and the bytes of the token for reports. All else of two texts to one chat is equal, whoever wrote them.
 */
export function byDesign(stanza: Stanza): unknown {
  const isGroup = stanza.attrs['to']?.endsWith('@g.us') ?? false;
  const isOfTheFirst = ({ tag }: Stanza): boolean => tag === 'device-identity' || (isGroup && tag === 'participants');
  const { id: _, ...attrs } = stanza.attrs;
  return {
    attrs,
    parts: children(stanza)
      .filter((part) => !isOfTheFirst(part))
      .map(whole),
  };
}

function whole({ tag, attrs, content }: Stanza): unknown {
  if (tag === 'enc') return { tag, attrs: { ...attrs, type: attrs['type'] === 'skmsg' ? 'skmsg' : 'direct' } };
  if (tag === 'reporting_token') return { tag, attrs };
  return { tag, attrs, inside: Array.isArray(content) ? content.map(whole) : content };
}
