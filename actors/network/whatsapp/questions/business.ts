import { Refusal } from '../../../../runtime/errors.ts';
import type { BusinessQuestions } from '../../business.ts';
import { userJid } from '../../jid.ts';
import type { Answers } from '../../questions.ts';
import type { CatalogClient, CatalogOrder } from '../catalog/catalog-client.ts';
import { phoneOf } from '../keys/account.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { changeBusiness, ownBusiness } from './business-profile.ts';

/** The network still accepts catalog requests from linked devices, but it never responds. */
export const NO_CATALOG = {
  en: 'the network no longer answers catalog requests from linked devices',
  id: 'jaringan tidak lagi menjawab permintaan katalog dari perangkat tertaut',
};

const NO_CHANGES = {
  en: 'the network no longer accepts catalog changes from linked devices',
  id: 'jaringan tidak lagi menerima perubahan katalog dari perangkat tertaut',
};

/** Fails without sending a request, because the library would report an empty catalog. */
const unanswered = (): never => {
  throw new Refusal('DEVICE_TIMEOUT', { reason: NO_CHANGES });
};

function wayTo({ catalog, creds, tunnel }: ConnectionContext, phone: string | null): { catalog: CatalogClient; order: CatalogOrder } {
  if (!catalog) throw new Refusal('DEVICE_TIMEOUT', { reason: NO_CATALOG });
  const own = phoneOf(creds);
  return { catalog, order: { jid: userJid(phone ?? own), account: own, through: tunnel?.requests ?? null } };
}

export const businessAnswers: Answers<ConnectionContext, BusinessQuestions> = {
  'business.get': ownBusiness,
  'business.set': changeBusiness,
  'catalog.list': async (context, { phone }) => {
    const { catalog, order } = wayTo(context, phone);
    const products = await catalog.products(order);
    return phone === null || phone === order.account ? products : products.filter(({ isHidden }) => !isHidden);
  },
  'catalog.collections': async (context) => {
    const { catalog, order } = wayTo(context, null);
    return catalog.collections(order);
  },
  'catalog.create': unanswered,
  'catalog.update': unanswered,
  'catalog.delete': unanswered,
};
