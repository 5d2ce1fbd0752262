import { text } from './text.ts';

export const SECRET_NAME = text({
  name: 'secret',
  grammar: 'the name of a Secret, with or without its namespace: namespace/name',
  pattern: /^(?:[a-z0-9][a-z0-9-]*\/)?[a-z0-9][a-z0-9.-]*$/,
  longest: 317,
});
