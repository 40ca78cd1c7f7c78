import { bytesOf, child, children, el, type Stanza } from '../stanza.ts';
import type { Query } from './query.ts';
import type { Settings } from './settings.ts';

/** Sends a client the latest settings, or accepts its change. */
export const syncSettings: Query = ({ people, journal }, linked, asked) => {
  const forged = (name: string): void => journal.event('violation', linked.line, { what: `settings ${name} that no device believes` });
  const collections = children(asked, 'collection').map((collection) => synced(linked.account.settings, collection, forged));
  for (const name of changed(asked)) people.settingsChanged(linked.account, name, linked);
  return [el('sync', {}, collections)];
};

function synced(settings: Settings, collection: Stanza, forged: (name: string) => void): Stanza {
  const { name = '', version = '0' } = collection.attrs;
  const patch = child(collection, 'patch');
  const newer = settings.since(name, Number(version)).map((each) => el('patch', {}, each));
  const outcome = patch ? settings.push(name, Number(version), bytesOf(patch)) : 'taken';
  if (outcome === 'forged') forged(name);
  if (outcome === 'conflict')
    return el('collection', { name, type: 'error' }, [el('error', { code: 409, text: 'conflict' }), el('patches', {}, newer)]);
  const news = patch ? [] : newer;
  return el('collection', { name, type: 'result', version: settings.version(name), has_more_patches: 'false' }, [el('patches', {}, news)]);
}

const changed = (asked: Stanza): readonly string[] =>
  children(asked, 'collection').flatMap((each) => (child(each, 'patch') ? [each.attrs['name'] ?? ''] : []));
