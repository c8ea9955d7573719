import { annotationHelp } from "../annotations.ts";
import { annotationsOf } from "../known-annotations.ts";
import { defineKind, type PrinterColumn } from "../kind.ts";
import { clusterConnectionSpec, connectionSpec } from "./spec.ts";
import { connectionStatus } from "./status.ts";

const printerColumns: readonly PrinterColumn[] = [
  { name: "Identity", type: "string", jsonPath: ".status.identity.name", description: "Whose credential it is." },
  {
    name: "Reachable",
    type: "boolean",
    jsonPath: ".status.reachable",
    description: "Whether the Management API answers.",
  },
  {
    name: "URL",
    type: "string",
    jsonPath: ".spec.baseUrl",
    description: "Base URL of the Management API.",
    priority: 1,
  },
];

export const connectionKind = defineKind({
  kind: "Connection",
  plural: "connections",
  shortNames: ["bconn"],
  scope: "Namespaced",
  description:
    "Where the Management API is and whose credential is used, for the objects of one namespace. The Connection named default serves objects that name none. " +
    annotationHelp(annotationsOf("Connection")),
  spec: connectionSpec,
  status: connectionStatus,
  printerColumns,
});

export const clusterConnectionKind = defineKind({
  kind: "ClusterConnection",
  plural: "clusterconnections",
  shortNames: ["bcconn"],
  scope: "Cluster",
  description:
    "A connection to the Management API for several namespaces, within the namespaces, organizations and projects that it allows. " +
    "The ClusterConnection named default serves admitted namespaces that have no Connection named default. " +
    annotationHelp(annotationsOf("ClusterConnection")),
  spec: clusterConnectionSpec,
  status: connectionStatus,
  printerColumns,
});
