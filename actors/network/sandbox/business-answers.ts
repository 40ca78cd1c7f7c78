import type { BusinessQuestions, NewProduct, Product } from '../business.ts';
import { networkRefusal } from '../network-refusal.ts';
import type { Capabilities } from '../questions.ts';
import type { AccountPage } from './account-pages.ts';
import type { SandboxAnswers } from './answers.ts';
import type { TellAccount } from './fact-teller.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

const [FORBIDDEN, NOT_FOUND] = [403, 404];
const NO_BUSINESS = { en: 'this number is not a business account', id: 'nomor ini bukan akun bisnis' };

export function accountCapabilities({ phones }: SandboxDeps, phone: string): Capabilities {
  const business = phones.named(phone).business ? true : { reason: NO_BUSINESS };
  return { account: true, people: true, blocklist: true, calls: true, labels: true, business, catalog: business };
}

export function businessAnswers({ phones, pages, names }: SandboxDeps, tell: TellAccount): SandboxAnswers<BusinessQuestions> {
  const pageOf = (digits: string, otherwise: number): AccountPage => {
    if (!phones.isOnNetwork(digits)) throw networkRefusal(NOT_FOUND);
    if (!phones.named(digits).business) throw networkRefusal(otherwise, NO_BUSINESS);
    return pages.of(digits);
  };
  return {
    'business.get': ({ phone }) => pageOf(phone, NOT_FOUND).business,
    'business.set': ({ phone }, changes) => {
      const page = pageOf(phone, FORBIDDEN);
      const category_names = changes.categories ?? page.business.category_names;
      page.business = { ...page.business, ...changes, category_names };
      tell(phone, { fact: 'account.updated', changed: { business_profile: true } });
      return page.business;
    },
    'catalog.list': ({ phone: own }, { phone }) => {
      const { products } = pageOf(phone ?? own, NOT_FOUND);
      return [...products.values()].filter(({ isHidden }) => !isHidden || phone === null || phone === own);
    },
    'catalog.collections': ({ phone }) => {
      pageOf(phone, NOT_FOUND);
      return [];
    },
    'catalog.create': ({ phone }, product) => {
      const page = pageOf(phone, FORBIDDEN);
      const id = names.message();
      return put(page, shown(id, product));
    },
    'catalog.update': ({ phone }, { id, changes }) => {
      const page = pageOf(phone, FORBIDDEN);
      return put(page, { ...existing(page, id), ...changes });
    },
    'catalog.delete': ({ phone }, { id }) => {
      const page = pageOf(phone, FORBIDDEN);
      page.products.delete(existing(page, id).id);
      return null;
    },
  };
}

function existing({ products }: AccountPage, id: string): Product {
  const product = products.get(id);
  if (!product) throw networkRefusal(NOT_FOUND);
  return product;
}

function put({ products }: AccountPage, product: Product): Product {
  products.set(product.id, product);
  return product;
}

const shown = (id: string, product: NewProduct): Product => ({
  id,
  isHidden: false,
  ...product,
  imageUrls: {},
  availability: 'in stock',
  reviewStatus: { whatsapp: 'APPROVED' },
});
