/** Bodies without undefined properties: schemas of answers do not allow them. */

/** Leaves out undefined properties at every depth. `A`: the body's type without them. */
export const present = <A extends object>(body: object): A => JSON.parse(JSON.stringify(body)) as A
