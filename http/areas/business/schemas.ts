import Joi from 'joi';
import type { BusinessChanges, NewProduct } from '../../../actors/network/business.ts';
import { Line, Lines } from '../network-features/texts.ts';

const Website = Joi.string()
  .uri({ scheme: ['http', 'https'] })
  .max(256)
  .example('https://acme.example');
const Opens = Joi.string()
  .pattern(/^([01]\d|2[0-3]):[0-5]\d$/)
  .example('08:00');
const Closes = Joi.string()
  .pattern(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/)
  .example('17:30');

const hours = Joi.object({
  timezone: Joi.string().max(64).required().example('Asia/Jakarta'),
  days: Joi.array()
    .items(
      Joi.object({
        day: Joi.number().integer().min(0).max(6).required().description('0: Sunday').example(1),
        open: Opens.required(),
        close: Closes.required(),
      }),
    )
    .unique('day')
    .max(7)
    .required()
    .description('Days that are not listed are closed. `00:00` to `24:00` is all day'),
})
  .allow(null)
  .example({ timezone: 'Asia/Jakarta', days: [{ day: 1, open: '08:00', close: '17:30' }] });

const Optional = (most: number): Joi.StringSchema => Lines.trim().max(most).allow(null, '');

export const businessChanges = Joi.object<BusinessChanges>({
  address: Optional(256).example('Jalan Merdeka 1, Jakarta'),
  description: Optional(512).example('Hand-made batik'),
  email: Joi.string().email({ tlds: false }).max(128).allow(null, '').example('shop@acme.example'),
  websites: Joi.array().items(Website).max(2).example(['https://acme.example']),
  categories: Joi.array().items(Line.min(1).max(64)).max(3).description("The network's ids").example(['1223524174334504']),
  hours,
});

const Shown = Joi.string().allow(null, '').required();

export const BusinessProfileSchema = Joi.object({
  address: Shown.example('Jalan Merdeka 1, Jakarta'),
  description: Shown.example('Hand-made batik'),
  email: Shown.example('shop@acme.example'),
  websites: Joi.array().items(Joi.string()).required().example(['https://acme.example']),
  categories: Joi.array().items(Joi.string()).required().description("The network's ids").example(['1223524174334504']),
  category_names: Joi.array().items(Joi.string().allow('')).required().example(['Food & Beverage']),
  hours: Joi.object({ timezone: Joi.string().required(), days: Joi.array().items(Joi.object().unknown()).required() })
    .allow(null)
    .required()
    .example({ timezone: 'Asia/Jakarta', days: [{ day: 1, open: '08:00', close: '17:30' }] }),
}).meta({ title: 'WaBusinessProfile' });

const product = {
  name: Line.trim().min(1).max(150).example('Batik scarf'),
  description: Lines.trim().max(5_000).allow('').example('Silk, 90 × 90 cm'),
  price: Joi.number().min(0).max(1_000_000_000_000).description('In the main unit of the currency').example(250_000),
  currency: Joi.string()
    .pattern(/^[A-Z]{3}$/)
    .example('IDR'),
  retailerId: Line.max(100).allow('').description('Your own product number (SKU)').example('SCARF-90'),
  url: Website,
  isHidden: Joi.boolean().description('True: only the owner sees the product'),
};

export const newProduct = Joi.object<NewProduct>({ ...product, name: product.name.required() }).with('price', 'currency');
export const productChanges = Joi.object<Partial<NewProduct>>(product);

export const ProductSchema = Joi.object({
  id: Joi.string().required().example('24118375487892012'),
  ...product,
  name: product.name.required(),
  isHidden: product.isHidden.required(),
  url: Joi.string().allow(''),
  imageUrls: Joi.object().pattern(Joi.string(), Joi.string()).required().example({}),
  availability: Joi.string().required().example('in stock'),
  reviewStatus: Joi.object().pattern(Joi.string(), Joi.string()).required().example({ whatsapp: 'APPROVED' }),
})
  .unknown()
  .meta({ title: 'WaCatalogProduct' });
