/** The version of Lotbook, as package.json says it. */
export const softwareVersion = "0.4.0"
