import Joi from 'joi';
import { isTimezone } from '../../../actors/domain/countries.ts';
import { refusal } from '../../../actors/domain/refusals.ts';
import { phoneOf } from '../../../actors/network/jid.ts';
import { type Area, type Caller, rowsFor } from '../../core/row.ts';
import { Done } from '../../core/schemas.ts';
import { nextInList } from '../../core/whole-lists.ts';
import { type AskingServices, askNetwork, NETWORK_REFUSALS } from '../network-features/ask.ts';
import { type IdentityServices, inSession, resolveChatOf } from '../params.ts';
import { BusinessProfileSchema, businessChanges, newProduct, ProductSchema, productChanges } from './schemas.ts';

export interface BusinessServices extends AskingServices, IdentityServices {}

const NO_ZONE = { en: 'must be an IANA time zone', id: 'harus zona waktu IANA' };

const row = rowsFor<BusinessServices>();

const Products = Joi.array().items(ProductSchema).required();
const atProduct = inSession.keys({ productId: Joi.string().max(64).required().description('The product').example('24118375487892012') });

/** Returns null for the device's own catalogue. Fails with INVALID_JID if the chat is not a person. */
async function numberIn(services: BusinessServices, caller: Caller, chatId: string | undefined): Promise<string | null> {
  if (chatId === undefined) return null;
  const phone = phoneOf(await resolveChatOf(services, caller, chatId));
  if (phone === null) throw refusal('INVALID_JID');
  return phone;
}

export const business: Area<BusinessServices> = {
  name: 'business',
  about: 'The business profile and the catalogue of a device, on the network',
  rows: [
    row({
      id: 'getBusinessProfile',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/business-profile',
      summary: 'Get the business profile',
      about: 'Get the business profile. 404 if the account is not a business account',
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      status: 200,
      returns: BusinessProfileSchema,
      refuses: NETWORK_REFUSALS,
      run: (services, { device }) => askNetwork(services, device, 'business.get', {}),
    }),
    row({
      id: 'updateBusinessProfile',
      method: 'PATCH',
      path: '/v1/sessions/{sessionId}/business-profile',
      summary: 'Update the business profile',
      about: 'Omitted fields are unchanged; null, `""` or `[]` clears a field. 403 if the account is not a business account',
      audit: { action: 'business_profile.update' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      body: businessChanges,
      check: ({ hours }) => (hours && !isTimezone(hours.timezone) ? [{ path: 'hours.timezone', ...NO_ZONE }] : []),
      status: 200,
      returns: BusinessProfileSchema,
      refuses: NETWORK_REFUSALS,
      run: (services, { device, body }) => askNetwork(services, device, 'business.set', body),
    }),
    row({
      id: 'listProducts',
      list: { of: 'products', by: ['id'] },
      method: 'GET',
      path: '/v1/sessions/{sessionId}/catalog',
      summary: 'List products',
      about: 'List the products of this account, including hidden ones, or with `chat_id` the products that another business shows',
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      query: Joi.object<{ chat_id?: string }>({ chat_id: Joi.string().min(1).max(64).description('A JID or a phone number') }),
      status: 200,
      returns: Joi.object({ ...nextInList, products: Products }),
      refuses: [...NETWORK_REFUSALS, 'INVALID_JID', 'INVALID_NUMBER'],
      async run(services, { device, caller, query }) {
        const phone = await numberIn(services, caller, query.chat_id);
        return { products: await askNetwork(services, device, 'catalog.list', { phone }) };
      },
    }),
    row({
      id: 'listProductCollections',
      list: { of: 'collections', by: ['id'] },
      method: 'GET',
      path: '/v1/sessions/{sessionId}/catalog/collections',
      summary: 'List product collections',
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      status: 200,
      returns: Joi.object({
        ...nextInList,
        collections: Joi.array()
          .items(
            Joi.object({ id: Joi.string().required(), name: Joi.string().required(), products: Products }).meta({
              title: 'ProductCollection',
            }),
          )
          .required(),
      }),
      refuses: NETWORK_REFUSALS,
      async run(services, { device }) {
        return { collections: await askNetwork(services, device, 'catalog.collections', {}) };
      },
    }),
    row({
      id: 'createProduct',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/catalog/products',
      summary: 'Create a product',
      audit: { action: 'product.create' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      body: newProduct,
      status: 201,
      returns: ProductSchema,
      refuses: NETWORK_REFUSALS,
      run: (services, { device, body }) => askNetwork(services, device, 'catalog.create', body),
    }),
    row({
      id: 'updateProduct',
      method: 'PATCH',
      path: '/v1/sessions/{sessionId}/catalog/products/{productId}',
      summary: 'Update a product',
      audit: { action: 'product.update' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: atProduct,
      body: productChanges,
      status: 200,
      returns: ProductSchema,
      refuses: NETWORK_REFUSALS,
      run: (services, { device, params, body }) => askNetwork(services, device, 'catalog.update', { id: params.productId, changes: body }),
    }),
    row({
      id: 'deleteProduct',
      method: 'DELETE',
      path: '/v1/sessions/{sessionId}/catalog/products/{productId}',
      summary: 'Delete a product',
      audit: { action: 'product.delete' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: atProduct,
      status: 200,
      returns: Done,
      refuses: NETWORK_REFUSALS,
      async run(services, { device, params }) {
        await askNetwork(services, device, 'catalog.delete', { id: params.productId });
        return { ok: true };
      },
    }),
  ],
};
