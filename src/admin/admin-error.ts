import Type from 'typebox';

/** Body of every answer that isn't 2xx. */
export const AdminErrorBody = Type.Object({
  code: Type.String({ description: 'For programs.' }),
  message: Type.String({ description: 'What is wrong, and what to do.' }),
});

/** What every route below /api/ may answer besides; part of its response schemas. */
export const ADMIN_ERRORS = { '4xx': AdminErrorBody, '5xx': AdminErrorBody } as const;
